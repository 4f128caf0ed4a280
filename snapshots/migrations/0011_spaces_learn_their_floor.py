"""A space keeps from which cosine on nearness speaks for a memory, so that models nobody has measured have a floor."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0010_large_memories_are_sealed_in_blocks")]

    operations = [
        migrations.AddField(
            "embeddingspace", "similarity_floor", models.FloatField("similarity floor", editable=False, null=True)
        ),
    ]
