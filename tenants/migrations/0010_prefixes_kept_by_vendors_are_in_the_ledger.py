"""What vendors keep of prompts is used by the day, and has a price (X9, X10)."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0009_support_sessions_say_why"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelprice",
            name="storage",
            field=models.DecimalField(
                db_default=0,
                decimal_places=6,
                default=0,
                max_digits=12,
                validators=[django.core.validators.MinValueValidator(0)],
                verbose_name="cache storage, per 1M tokens and hour",
            ),
        ),
        migrations.AddField(
            model_name="modelusage",
            name="token_hours",
            field=models.DecimalField(
                db_default=0, decimal_places=3, max_digits=18, verbose_name="cached tokens × hours"
            ),
        ),
        migrations.AlterField(
            model_name="modelusage",
            name="purpose",
            field=models.CharField(
                choices=[
                    ("summarise", "summarise"),
                    ("extract", "extract"),
                    ("judge", "judge"),
                    ("rewrite", "rewrite"),
                    ("cache", "cache prefixes"),
                ],
                max_length=16,
                verbose_name="purpose",
            ),
        ),
    ]
