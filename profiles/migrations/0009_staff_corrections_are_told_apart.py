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
    dependencies = [("profiles", "0001_squashed_0008_subjects_and_beliefs_behind_the_wall")]

    operations = [
        *(
            migrations.AlterField(name, "provenance", make_provenance())
            for name in ("candidate", "preference", "profilefact", "tagdetail")
        ),
        migrations.AlterField("tag", "provenance", make_provenance(default="confirmed_by_user")),
    ]
