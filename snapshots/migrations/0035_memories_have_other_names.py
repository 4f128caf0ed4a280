"""Other names of a memory, by which a question may name it. A constant default: no row is rewritten."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("snapshots", "0034_notes_know_what_is_newer"),
    ]

    operations = [
        migrations.AddField(
            model_name="snapshot",
            name="aliases",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=100),
                blank=True,
                db_default=[],
                default=list,
                size=None,
                verbose_name="other names",
            ),
        ),
    ]
