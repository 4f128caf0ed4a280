"""Chunks whose vector stands in the space of another model are found without reading the others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0049_memory_files_stand_behind_the_wall")]

    operations = [
        migrations.AddIndex(
            model_name="indexedchunk",
            index=models.Index(fields=["tenant", "space", "id"], name="indexed_chunk_by_space"),
        ),
    ]
