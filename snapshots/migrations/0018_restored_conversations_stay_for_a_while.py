"""What somebody had back from the archive is not archived again the same night (E7)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0017_due_work_has_summaries")]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="restored_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="restored at"),
        ),
    ]
