"""Delete values of channels that no checkpoint of a thread has any more."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from tenants.isolation import current_tenant_id

DELETE_UNUSED = """
DELETE FROM channel_value b WHERE b.tenant_id = %s AND b.thread_id = ANY(%s) AND NOT EXISTS (
  SELECT 1 FROM checkpoint c WHERE c.tenant_id = b.tenant_id AND c.thread_id = b.thread_id
    AND c.namespace = b.namespace AND c.versions ->> b.channel = b.version)
"""
# A write may come before its checkpoint; what stands before the oldest that is left never gets one.
DELETE_WRITES = """
DELETE FROM pending_write w WHERE w.tenant_id = %s AND w.thread_id = ANY(%s)
  AND NOT EXISTS (SELECT 1 FROM checkpoint c WHERE c.tenant_id = w.tenant_id AND c.thread_id = w.thread_id
    AND c.namespace = w.namespace AND c.checkpoint_id = w.checkpoint_id)
  AND (w.checkpoint_id < coalesce((SELECT max(c.checkpoint_id) FROM checkpoint c WHERE c.tenant_id = w.tenant_id
    AND c.thread_id = w.thread_id AND c.namespace = w.namespace), '') OR w.checkpoint_id = ANY(%s))
"""
# The parent of what is left may be gone: it begins the history then.
CUT_PARENTS = """
UPDATE checkpoint c SET parent_id = '' WHERE c.tenant_id = %s AND c.thread_id = ANY(%s) AND c.parent_id = ANY(%s)
  AND NOT EXISTS (SELECT 1 FROM checkpoint p WHERE p.tenant_id = c.tenant_id AND p.thread_id = c.thread_id
    AND p.namespace = c.namespace AND p.checkpoint_id = c.parent_id)
"""


def delete_unused_values(thread_ids: Sequence[UUID], gone: Sequence[str]) -> None:
    """Delete, in the open scope, the values left behind by the checkpoints with the ids ``gone``, and cut their
    children from them."""
    own: list[Any] = [current_tenant_id(), list(thread_ids)]
    with connection.cursor() as cursor:
        cursor.execute(DELETE_WRITES, [*own, list(gone)])
        cursor.execute(DELETE_UNUSED, own)
        cursor.execute(CUT_PARENTS, [*own, list(gone)])
