"""A receipt keeps which tier of model its turn called for, and why (X8)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0018_restored_conversations_stay_for_a_while")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="model_route",
            field=models.JSONField(blank=True, null=True, verbose_name="model route"),
        ),
    ]
