"""The audit record that an act on one row of a subject leaves."""

from profiles.models.subject import SubjectOwned
from tenants.services.audit import Actor, record_audit


def record_act(by: Actor, action: str, row: SubjectOwned, reason: str = "") -> None:
    """Add an audit record about ``row`` in the open scope, in the transaction of the act it reports."""
    record_audit(
        by,
        action,
        object_kind=row._meta.db_table,
        object_id=str(row.pk),
        subject_ref=row.subject_id,
        reason=reason,
    )
