"""Index rows carry a number that a memory shares with those that say the same; rows from before have none yet."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0011_spaces_learn_their_floor")]

    operations = [
        migrations.AddField("snapshotwords", "saying", models.BigIntegerField(null=True)),
        migrations.AddIndex(
            "snapshotwords",
            models.Index(
                condition=models.Q(saying__isnull=True), fields=["tenant", "subject"], name="snapshot_words_unread"
            ),
        ),
    ]
