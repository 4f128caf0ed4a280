"""Relevance says what helps in any space: the floors that spaces learnt have no use left."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0034_notes_know_what_is_newer")]

    operations = [migrations.RemoveField("embeddingspace", "similarity_floor")]
