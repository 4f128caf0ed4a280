"""Managers invite by a link that works once; a tenant that has a manager keeps one.

``app.find_invitation`` finds the tenant of a link before one is open, as ``app.auth_key`` does for keys: it hands out
the digest of the secret, and the application compares. ``app.managers_beside`` names the managers of all tenants that
a user manages: an account is deactivated for all of them at once.
"""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.definer import definer_function, find_user_key_type
from tenants.isolation.protect import Protect

FIND_INVITATION = definer_function(
    "find_invitation(slug text, wanted uuid)",
    "TABLE (tenant_id uuid, tenant_name text, invitation_id uuid, role text, expires_at timestamptz, digest bytea)",
    """
    SELECT t.id, t.name::text, i.id, i.role::text, i.expires_at, d.digest
    FROM public.tenant t
    JOIN public.invitation i ON i.tenant_id = t.id AND i.id = wanted
    JOIN public.invitation_digest d ON d.tenant_id = i.tenant_id AND d.invitation_id = i.id
    WHERE t.slug = find_invitation.slug
    """,
)

MANAGERS_BESIDE = definer_function(
    f"managers_beside(staff {find_user_key_type()})",
    f"TABLE (tenant_id uuid, user_id {find_user_key_type()})",
    """
    SELECT other.tenant_id, other.user_id
    FROM public.member own
    JOIN public.member other ON other.tenant_id = own.tenant_id AND other.role = 'manager'
    WHERE own.user_id = staff AND own.role = 'manager'
    """,
)


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0001_squashed_0011_tenants_keys_policies_and_usage_behind_the_wall"),
    ]

    operations = [
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "viewer"), ("support", "support"), ("manager", "manager")],
                        max_length=16,
                        verbose_name="role",
                    ),
                ),
                ("invitee", models.CharField(max_length=200, verbose_name="for whom")),
                (
                    "actor_kind",
                    models.CharField(
                        choices=[("staff", "staff"), ("operator", "operator"), ("api_key", "API key"), ("job", "job")],
                        editable=False,
                        max_length=16,
                        verbose_name="actor kind",
                    ),
                ),
                ("actor_id", models.CharField(editable=False, max_length=64, verbose_name="invited by")),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="created at"),
                ),
                ("expires_at", models.DateTimeField(editable=False, verbose_name="expires at")),
                (
                    "accepted_at",
                    models.DateTimeField(blank=True, editable=False, null=True, verbose_name="accepted at"),
                ),
                ("revoked_at", models.DateTimeField(blank=True, editable=False, null=True, verbose_name="revoked at")),
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
                "verbose_name": "invitation",
                "verbose_name_plural": "invitations",
                "db_table": "invitation",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="InvitationDigest",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("digest", models.BinaryField()),
                (
                    "invitation",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.invitation",
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
            ],
            options={
                "db_table": "invitation_digest",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("accepted_at__isnull", True), ("revoked_at__isnull", True), _connector="OR"),
                name="accepted_or_revoked",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitationdigest",
            constraint=models.UniqueConstraint(fields=("tenant", "invitation"), name="one_digest_per_invitation"),
        ),
        Protect("Invitation", lookup=True),
        Protect("InvitationDigest", write_only=True, lookup=True),
        migrations.RunSQL(FIND_INVITATION, "DROP FUNCTION app.find_invitation(text, uuid)"),
        migrations.RunSQL(MANAGERS_BESIDE, "DROP FUNCTION app.managers_beside(integer)"),
    ]
