"""Rows of a forgotten preference, profile fact or tag leave marks: an export from before brings none back."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0006_products_models_save_and_ask"),
    ]

    operations = [
        migrations.AlterField(
            model_name="forgotten",
            name="kind",
            field=models.CharField(
                choices=[("text", "text"), ("message", "message"), ("belief", "belief")],
                max_length=8,
                verbose_name="kind",
            ),
        ),
    ]
