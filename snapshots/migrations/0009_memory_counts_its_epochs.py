"""A subject's memory says whether it has only grown: images of it then take up what is new instead of starting over."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0008_embedding_spaces_know_what_they_hold")]

    operations = [
        migrations.AddField(
            model_name="subjectmemory",
            name="epoch",
            field=models.PositiveBigIntegerField(db_default=1, default=1),
        ),
    ]
