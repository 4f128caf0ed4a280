"""A receipt names the experiment and the arm that it was made under, and so do the indicators of a day."""

from django.db import migrations, models


def named(words: str) -> models.CharField:
    return models.CharField(blank=True, db_default="", default="", max_length=64, verbose_name=words)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0020_answers_tell_which_model_they_call_for")]

    operations = [
        migrations.AddField("receipt", "experiment", named("experiment")),
        migrations.AddField("receipt", "arm", named("arm")),
        migrations.AddField("indicator", "experiment", named("experiment")),
        migrations.AlterModelOptions(
            "indicator",
            options={
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "ordering": ("-day", "policy_version", "experiment", "arm"),
                "verbose_name": "indicator",
                "verbose_name_plural": "indicators",
            },
        ),
        migrations.RemoveConstraint("indicator", "one_indicator_per_day"),
        migrations.AddConstraint(
            "indicator",
            models.UniqueConstraint(
                fields=("tenant", "day", "policy_version", "experiment", "arm"), name="one_indicator_per_day"
            ),
        ),
    ]
