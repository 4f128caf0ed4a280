"""A certificate tells the marks that forgetting one memory left: after a restore they find it again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("profiles", "0004_erasures_leave_proof_and_candidates_wait")]

    operations = [
        migrations.AddField(
            model_name="erasure",
            name="marks",
            field=models.JSONField(
                blank=True, db_default={}, default=dict, verbose_name="markers against learning it again"
            ),
        ),
    ]
