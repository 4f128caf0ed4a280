"""The console lists a tenant's newest snapshots by an index; it sorted all of them, 3.7 s for a million."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0027_receipts_are_written_as_one_row")]

    operations = [
        migrations.AddIndex(
            "snapshot", models.Index(fields=["tenant", "recorded_at", "id"], name="snapshot_by_recording")
        ),
    ]
