"""A run that was cut short goes on where it stood: how far it came within a tenant, and until when a worker has it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0003_models_have_routes_and_a_ledger")]

    operations = [
        migrations.AddField("jobrun", "reached_within", models.UUIDField(blank=True, editable=False, null=True)),
        migrations.AddField("jobrun", "lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
        migrations.AddField(
            "jobrun", "tries", models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)
        ),
    ]
