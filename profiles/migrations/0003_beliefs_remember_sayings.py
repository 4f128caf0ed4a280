"""A value remembers when it was said, so that the order of arrival does not decide what is current (row P4)."""

import django.contrib.postgres.fields
from django.db import migrations, models


def said_times() -> django.contrib.postgres.fields.ArrayField:
    return django.contrib.postgres.fields.ArrayField(
        base_field=models.DateTimeField(), blank=True, default=list, editable=False, size=None, verbose_name="said at"
    )


class Migration(migrations.Migration):
    dependencies = [("profiles", "0002_wall_around_profiles")]

    operations = [
        migrations.AddField("preference", "said_times", said_times()),
        migrations.AddField("profilefact", "said_times", said_times()),
    ]
