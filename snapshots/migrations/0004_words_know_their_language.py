"""Indexed words know their language, so that a job can tell missing vectors from ones that no model could make."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0003_work_positions_and_queue_indexes")]

    operations = [
        migrations.AddField(
            model_name="snapshotwords",
            name="language",
            field=models.CharField(db_default="", default="", max_length=8),
        ),
    ]
