"""What another memory system wrote is imported: a new choice, no row changes."""

from typing import Any

from django.db import migrations, models

PROVENANCES = [
    ("observation", "observation"),
    ("analysis", "analysis"),
    ("corrected_by_staff", "corrected by staff"),
    ("confirmed_by_user", "confirmed by user"),
    ("imported", "imported"),
]


def make_provenance(**options: Any) -> models.CharField:
    return models.CharField(choices=PROVENANCES, max_length=20, verbose_name="provenance", **options)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0045_webhooks_stand_behind_the_wall")]

    operations = [
        migrations.AlterField("snapshot", "provenance", make_provenance(default="observation")),
    ]
