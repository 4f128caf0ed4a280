"""Staff log in through OpenID providers, whose groups give memberships."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0013_audit_trail_is_sealed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="member",
            name="from_groups",
            field=models.BooleanField(db_default=False, default=False, editable=False, verbose_name="given by a group"),
        ),
        migrations.CreateModel(
            name="StaffIdentity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("issuer", models.CharField(max_length=255, verbose_name="issuer")),
                ("subject", models.CharField(max_length=255, verbose_name="id at the provider")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "identity at a provider",
                "verbose_name_plural": "identities at providers",
                "db_table": "staff_identity",
                "constraints": [models.UniqueConstraint(fields=("issuer", "subject"), name="one_user_per_identity")],
            },
        ),
    ]
