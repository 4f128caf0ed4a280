"""A tenant says in which language its prompts are, where nothing else does (X9)."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0007_usage_is_kept_by_the_day"),
    ]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="locale",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Default prompt language, used when neither the person nor the system prompt sets one.",
                max_length=35,
                validators=[
                    django.core.validators.RegexValidator(
                        "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$", "A language tag, such as en-GB or zh-CN."
                    )
                ],
                verbose_name="locale",
            ),
        ),
    ]
