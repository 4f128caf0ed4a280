"""A receipt keeps which tier of model its turn called for, and why (X8)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0019_history_is_summed_from_an_index")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="model_route",
            field=models.JSONField(blank=True, null=True, verbose_name="model route"),
        ),
    ]
