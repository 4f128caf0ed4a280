"""A version of a document answers under its own details until the next one is indexed. No row is written anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0055_conversations_are_listed_by_their_last_message")]

    operations = [
        migrations.AddField("document", "answering", models.JSONField(db_default={}, default=dict, editable=False)),
    ]
