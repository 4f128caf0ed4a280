"""Receipts name the release and the readers that made them, so that a replay knows which it may order anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0036_spaces_have_no_learnt_floor")]

    operations = [
        migrations.AddField(
            "receipt",
            "made_by",
            models.JSONField(blank=True, db_default={}, default=dict, verbose_name="made by"),
        )
    ]
