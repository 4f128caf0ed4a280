"""Faults that would let the role that serves pass the wall between tenants."""

from django.db.backends.base.base import BaseDatabaseWrapper

# A role may own a table through a role that it is a member of. A superuser is a member of all of them.
_FAULTS = """
SELECT rolsuper, rolbypassrls, EXISTS (
  SELECT FROM pg_class
  WHERE relkind IN ('r', 'p') AND relforcerowsecurity AND pg_has_role(current_user, relowner, 'MEMBER')
) FROM pg_roles WHERE rolname = current_user
"""
FAULTS = ("is a superuser", "has BYPASSRLS", "owns the tables of tenants, or is a member of the role that does")


def list_role_faults(database: BaseDatabaseWrapper) -> list[str]:
    """Return the faults of this connection's role, each as the end of a sentence about it; none for a good one."""
    with database.cursor() as cursor:
        cursor.execute(_FAULTS)
        row = cursor.fetchone()
    return [fault for fault, is_so in zip(FAULTS, row, strict=True) if is_so] if row else ["is not in pg_roles"]
