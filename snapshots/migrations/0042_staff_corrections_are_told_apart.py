"""What support staff typed is corrected by staff, not confirmed by the user: a new choice, no row changes."""

from typing import Any

from django.db import migrations, models

PROVENANCES = [
    ("observation", "observation"),
    ("analysis", "analysis"),
    ("corrected_by_staff", "corrected by staff"),
    ("confirmed_by_user", "confirmed by user"),
]


def make_provenance(**options: Any) -> models.CharField:
    return models.CharField(choices=PROVENANCES, max_length=20, verbose_name="provenance", **options)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0001_squashed_0041_conversations_memories_and_work_behind_the_wall")]

    operations = [
        migrations.AlterField("snapshot", "provenance", make_provenance(default="observation")),
    ]
