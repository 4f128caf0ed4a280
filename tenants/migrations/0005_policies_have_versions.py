"""Each tenant's policy has versions, and experiments run several side by side.

Version 1 of every tenant overrides nothing. The check of a key tells the epoch of the tenant's policy.
"""

import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
from tenants.isolation.definer import definer_function
from tenants.isolation.protect import Protect

FIRST_VERSIONS = """
INSERT INTO policy_version (tenant_id, id, number, document, reason, author, created_at)
SELECT id, gen_random_uuid(), 1, '{}', '', '', created_at FROM tenant
ON CONFLICT DO NOTHING
"""

AUTH_KEY = definer_function(
    "auth_key(wanted text)",
    "TABLE (tenant_id uuid, tenant_slug text, tenant_name text, policy_version integer, policy_epoch bigint,"
    " api_key_id uuid, scopes text[], expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz,"
    " digest bytea)",
    """
    SELECT t.id, t.slug::text, t.name::text, t.policy_version, t.policy_epoch, k.id, k.scopes::text[],
           k.expires_at, k.revoked_at, k.last_used_at, d.digest
    FROM public.api_key k
    JOIN public.api_key_digest d ON d.tenant_id = k.tenant_id AND d.api_key_id = k.id
    JOIN public.tenant t ON t.id = k.tenant_id
    WHERE k.key_id = wanted
    """,
)


def identity() -> list[tuple[str, models.Field]]:
    return [
        (
            "id",
            models.UUIDField(
                default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
            ),
        ),
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
    ]


class Migration(migrations.Migration):
    dependencies = [("tenants", "0004_runs_of_jobs_go_on")]

    operations = [
        migrations.AddField(
            "tenant", "policy_epoch", models.PositiveBigIntegerField(db_default=1, default=1, editable=False)
        ),
        migrations.CreateModel(
            name="PolicyVersion",
            fields=[
                *identity(),
                ("number", models.PositiveIntegerField(verbose_name="version")),
                ("document", models.JSONField(default=dict, verbose_name="settings")),
                ("based_on", models.PositiveIntegerField(blank=True, null=True, verbose_name="based on")),
                ("reason", models.CharField(blank=True, max_length=500, verbose_name="reason")),
                ("author", models.CharField(blank=True, max_length=64, verbose_name="made by")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
            ],
            options={
                "verbose_name": "policy",
                "verbose_name_plural": "policies",
                "db_table": "policy_version",
                "ordering": ("-number",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "number"), name="one_policy_per_number")],
            },
        ),
        migrations.CreateModel(
            name="Experiment",
            fields=[
                *identity(),
                ("name", models.CharField(max_length=64, verbose_name="name")),
                ("arms", models.JSONField(default=list, verbose_name="arms")),
                (
                    "status",
                    models.CharField(
                        choices=[("draft", "draft"), ("running", "running"), ("ended", "ended")],
                        default="draft",
                        max_length=16,
                        verbose_name="status",
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started at")),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended at")),
            ],
            options={
                "verbose_name": "experiment",
                "verbose_name_plural": "experiments",
                "db_table": "experiment",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "name"), name="one_experiment_per_name"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "running")),
                        fields=("tenant",),
                        name="one_running_experiment",
                    ),
                ],
            },
        ),
        migrations.RunSQL(FIRST_VERSIONS, migrations.RunSQL.noop),  # before the wall: it is of all tenants
        Protect("PolicyVersion", append_only=True),
        Protect("Experiment"),
        migrations.RunSQL("DROP FUNCTION app.auth_key(text)", migrations.RunSQL.noop),
        migrations.RunSQL(AUTH_KEY, migrations.RunSQL.noop),
    ]
