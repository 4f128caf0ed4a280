"""Processes of two lists of models, or of two releases, each seal their own blocks instead of removing each other's.

Who still needs a memory sealed is counted by its blocks: ``sealed`` counts those of all, for whoever removes them.
"""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0015_metadata_is_stored_as_it_is")]

    operations = [
        migrations.AddField("memoryblock", "sealed_at", models.DateTimeField(db_default=Now())),
        migrations.RemoveConstraint("memoryblock", "one_row_per_block"),
        migrations.AddConstraint(
            "memoryblock",
            models.UniqueConstraint(
                fields=("tenant", "subject", "block", "spaces", "format"), name="one_row_per_block_and_reader"
            ),
        ),
        migrations.RemoveIndex("subjectmemory", "subject_memory_to_seal"),
        migrations.AddIndex(
            "subjectmemory",
            models.Index(
                condition=models.Q(next_position__gte=500),
                fields=["tenant", "subject"],
                name="subject_memory_in_blocks",
            ),
        ),
    ]
