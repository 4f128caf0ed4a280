"""The assistant's words are a kind of their own, and their link says where in the message they stand (C7)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0030_what_users_had_forgotten_can_come_back")]

    operations = [
        migrations.AlterField(
            "snapshot",
            "kind",
            models.CharField(
                choices=[
                    ("conversation", "conversation"),
                    ("segment", "segment"),
                    ("statement", "statement"),
                    ("episode", "episode"),
                    ("consolidated", "consolidated"),
                    ("manual", "manual"),
                    ("note", "note"),
                    ("reply", "assistant's words"),
                ],
                max_length=16,
                verbose_name="kind",
            ),
        ),
        migrations.AddField(
            "snapshotsource", "span_start", models.PositiveIntegerField(blank=True, editable=False, null=True)
        ),
        migrations.AddField(
            "snapshotsource", "span_end", models.PositiveIntegerField(blank=True, editable=False, null=True)
        ),
    ]
