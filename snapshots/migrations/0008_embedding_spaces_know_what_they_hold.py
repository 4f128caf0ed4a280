"""Embedding spaces keep their last count, so that a page can show how far a migration is without counting."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0007_backlog_of_the_platform")]

    operations = [
        migrations.AddField("embeddingspace", "is_listed", models.BooleanField("listed", editable=False, null=True)),
        migrations.AddField(
            "embeddingspace", "held", models.PositiveBigIntegerField("memories it holds", editable=False, null=True)
        ),
        migrations.AddField(
            "embeddingspace",
            "belonging",
            models.PositiveBigIntegerField("memories it should hold", editable=False, null=True),
        ),
        migrations.AddField(
            "embeddingspace", "missing", models.PositiveBigIntegerField("memories it lacks", editable=False, null=True)
        ),
        migrations.AddField(
            "embeddingspace", "oldest_missing_at", models.DateTimeField("oldest it lacks", editable=False, null=True)
        ),
        migrations.AddField(
            "embeddingspace", "counted_at", models.DateTimeField("counted at", editable=False, null=True)
        ),
    ]
