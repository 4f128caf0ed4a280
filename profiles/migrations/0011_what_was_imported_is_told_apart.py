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
    dependencies = [("profiles", "0010_subjects_can_be_joined")]

    operations = [
        *(
            migrations.AlterField(name, "provenance", make_provenance())
            for name in ("candidate", "preference", "profilefact", "tagdetail")
        ),
        migrations.AlterField("tag", "provenance", make_provenance(default="confirmed_by_user")),
    ]
