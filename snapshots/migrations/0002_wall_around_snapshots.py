"""Conversations, snapshots, receipts and work stand behind the wall; the sweep may ask which tenants have due work.

``work.position`` comes from one sequence: it grows with acceptance, and a gap means nothing.
"""

from django.db import migrations

from tenants.isolation.definer import definer_function
from tenants.isolation.protect import Protect, app_role

POSITIONS = f"""
CREATE SEQUENCE work_position OWNED BY work.position;
ALTER TABLE work ALTER COLUMN position SET DEFAULT nextval('work_position');
GRANT USAGE ON SEQUENCE work_position TO {app_role()};
"""

TENANTS_WITH_DUE_WORK = definer_function(
    "tenants_with_due_work(at_most integer)",
    "TABLE (tenant_id uuid)",
    """
    SELECT t.id FROM public.tenant t
    WHERE EXISTS (
      SELECT 1 FROM public.work w
      WHERE w.tenant_id = t.id
        AND ((w.state = 'ready' AND w.due_at <= clock_timestamp())
          OR (w.state = 'leased' AND w.lease_until <= clock_timestamp()))
    )
    LIMIT at_most
    """,
)


class Migration(migrations.Migration):
    dependencies = [
        ("snapshots", "0001_conversations_snapshots_receipts_and_work"),
        ("profiles", "0002_wall_around_profiles"),
    ]

    operations = [
        Protect("Conversation"),
        Protect("Message"),
        Protect("Work", lookup=True),
        Protect("WorkRemoved"),
        Protect("Snapshot", set_null=("superseded_by", "conversation")),
        Protect("SnapshotVersion"),
        Protect("SubjectMemory"),
        Protect("SnapshotCounter"),
        Protect("SnapshotWords"),
        Protect("SnapshotVector"),
        Protect("SnapshotSource"),
        Protect("PreferenceSource"),
        Protect("ProfileFactSource"),
        Protect("TagSource"),
        Protect("Receipt", set_null=("conversation",)),
        Protect("ReceiptMemory"),
        migrations.RunSQL(POSITIONS, migrations.RunSQL.noop),
        migrations.RunSQL(TENANTS_WITH_DUE_WORK, "DROP FUNCTION app.tenants_with_due_work(integer)"),
    ]
