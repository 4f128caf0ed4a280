"""Every table about a subject stands behind the tenant wall and is erased with its subject."""

from django.db import migrations

from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [("profiles", "0001_subjects_and_beliefs"), ("tenants", "0002_wall_around_tenants")]

    operations = [
        Protect("Subject"),
        Protect("ProfileFact", set_null=("superseded_by",)),
        Protect("Preference", set_null=("superseded_by",)),
        Protect("Tag"),
        Protect("Candidate"),
        Protect("IdempotentReply"),
    ]
