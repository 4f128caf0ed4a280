"""Lock a subject's memory for a context that was outdated again and again."""

from django.db import connection

from tenants.isolation import current_tenant_id

_SUBJECT = """
SELECT id FROM subject WHERE tenant_id = %(tenant)s AND id = coalesce(
  (SELECT id FROM subject WHERE tenant_id = %(tenant)s AND external_id = %(name)s),
  (SELECT subject_id FROM subject_alias WHERE tenant_id = %(tenant)s AND external_id = %(name)s)
) FOR KEY SHARE
"""
_MEMORY = "SELECT 1 FROM subject_memory WHERE tenant_id = %s AND subject_id = %s FOR SHARE"


def lock_memory_for_reading(subject_external_id: str) -> None:
    """Keep others from changing a subject's memory, or ending the subject, until the open scope ends.

    Readers may hold the lock together; an unknown subject has no lock. The subject is locked first, as everywhere, so
    that an erasure cannot cross. Writers lock the memory before any other row that a context refers to.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SUBJECT, {"tenant": current_tenant_id(), "name": subject_external_id})
        found = cursor.fetchone()
        if found is not None:
            cursor.execute(_MEMORY, [current_tenant_id(), found[0]])
