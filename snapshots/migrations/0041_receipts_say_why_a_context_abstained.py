"""A receipt says why its context brought no memory of its turn: "" where it did, and in all that is held by now.

No row is rewritten.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0040_messages_know_their_speakers_clock")]

    operations = [
        migrations.AddField(
            "receipt",
            "abstained",
            models.CharField(
                blank=True, db_default="", default="", max_length=40, verbose_name="why no memory was included"
            ),
        ),
    ]
