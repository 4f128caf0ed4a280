"""Messages and memories know how far from UTC their speaker's clock was: "tomorrow" counts from that day.

NULL where nobody told it, as in all that is held by now. No row is rewritten.
"""

import django.core.validators
from django.db import migrations, models

MOST = 1439


def _offset() -> models.SmallIntegerField[int | None, int | None]:
    within = [django.core.validators.MinValueValidator(-MOST), django.core.validators.MaxValueValidator(MOST)]
    return models.SmallIntegerField(blank=True, editable=False, null=True, validators=within)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0039_make_notes_knows_how_far_it_has_read")]

    operations = [
        migrations.AddField("message", "said_offset", _offset()),
        migrations.AddField("snapshot", "said_offset", _offset()),
    ]
