"""The purge finds the receipts that still have their text without reading those that lost it long ago."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0004_words_know_their_language")]

    operations = [
        migrations.AddIndex(
            model_name="receipt",
            index=models.Index(
                condition=models.Q(("rendered__isnull", False)),
                fields=["tenant", "created_at"],
                name="receipt_with_text",
            ),
        ),
    ]
