"""Relevance says what helps in any space: the floors that spaces learnt have no use left."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0035_memories_have_other_names")]

    operations = [migrations.RemoveField("embeddingspace", "similarity_floor")]
