"""Why somebody looks at a tenant's people, and until when: kept beside the audit trail, never changed."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0008_tenants_have_a_locale"),
    ]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="support_sessions",
            field=models.BooleanField(
                db_default=False, default=False, editable=False, verbose_name="members need a support session"
            ),
        ),
        migrations.CreateModel(
            name="SupportSession",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "actor_kind",
                    models.CharField(
                        choices=[("staff", "staff"), ("operator", "operator"), ("api_key", "API key"), ("job", "job")],
                        max_length=16,
                        verbose_name="actor kind",
                    ),
                ),
                ("actor_id", models.CharField(max_length=64, verbose_name="actor")),
                ("reason", models.CharField(max_length=500, verbose_name="reason")),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="started at")),
                ("ends_at", models.DateTimeField(verbose_name="ends at")),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        default=tenants.isolation.scope.current_tenant_id,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "support session",
                "verbose_name_plural": "support sessions",
                "db_table": "support_session",
                "ordering": ("-started_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="SupportEnd",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        default=tenants.isolation.scope.current_tenant_id,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "session",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.supportsession",
                    ),
                ),
            ],
            options={
                "db_table": "support_end",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddIndex(
            model_name="supportsession",
            index=models.Index(fields=["tenant", "actor_id", "-ends_at"], name="support_session_by_actor"),
        ),
        migrations.AddConstraint(
            model_name="supportend",
            constraint=models.UniqueConstraint(fields=("tenant", "session"), name="one_end_per_support_session"),
        ),
        Protect("SupportSession", append_only=True),
        Protect("SupportEnd", append_only=True),
    ]
