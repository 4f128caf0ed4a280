"""The queue's SQL. Times are the database's clock: a machine whose clock is wrong cannot steal or hold work.

``statement_timestamp()`` and not ``clock_timestamp()``: a volatile function cannot be looked up in an index. A CTE with
FOR UPDATE runs once; as a sub-select the planner may repeat it, and lock more than was asked for. Rows are met by ``id
= ANY(array)`` and not by joins: statistics of a queue are always stale, the planner expects one row, and the join that
is right for one row took 0.36 s for a thousand.

To avoid deadlocks, a statement that waits for locks of several items takes them by position; one that takes them in
another order skips locked rows.
"""

from collections.abc import Iterable
from typing import Any

from django.db import connection

from snapshots.queue.values import ClaimedWork
from tenants.isolation import current_tenant_id

# One row per kind: the subject of the item that is due longest (NULL: no item is due), and whether a lease has run out.
#
# Ordered by how long they wait: where turns are short, a kind must not come first again and again.
DUE = """
SELECT k.kind, r.subject_id, EXISTS (
    SELECT 1 FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.kind = k.kind AND w.state = 'leased' AND w.lease_until <= statement_timestamp()
  )
FROM unnest(%(kinds)s::text[]) WITH ORDINALITY AS k (kind, turn)
LEFT JOIN LATERAL (
    SELECT w.subject_id, w.due_at FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.kind = k.kind AND w.state = 'ready' AND w.due_at <= statement_timestamp()
    ORDER BY w.due_at LIMIT 1
) r ON true
ORDER BY coalesce(r.due_at, '-infinity'), k.turn
"""

# How much text an item ``i`` makes a worker read. The length of a long text is known without reading it.
_CONTENT_BYTES = """coalesce(CASE WHEN %(kind)s = 'conversation' THEN (
        SELECT sum(octet_length(m.content)) FROM message m
        WHERE m.tenant_id = %(tenant)s AND m.conversation_id = i.conversation_id
    ) ELSE (
        SELECT octet_length(m.content) FROM message m WHERE m.tenant_id = %(tenant)s AND m.id = i.message_id
    ) END, 0)"""

_RETURNING = """\
RETURNING w.id, w.kind, w.subject_id, w.conversation_id, w.message_id, w.generation, w.attempts, w.position,
    w.trace_parent, w.lease_token"""

CLAIM_ANY_ORDER = f"""
WITH due AS (
    SELECT w.id, w.conversation_id, w.message_id, w.due_at, w.position FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.kind = %(kind)s AND w.state = 'ready' AND w.due_at <= statement_timestamp()
    ORDER BY w.due_at LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), weighed AS (
    SELECT s.id, sum(s.size) OVER (ORDER BY s.due_at, s.position) - s.size AS before
    FROM (SELECT i.id, i.due_at, i.position, {_CONTENT_BYTES} AS size FROM due i) s
), picked AS (
    SELECT id FROM weighed WHERE before < %(bytes)s
)
UPDATE work w
SET state = 'leased', lease_token = %(token)s, lease_until = statement_timestamp() + %(lease)s
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM picked))
{_RETURNING}
"""  # noqa: S608 - constants

CLAIM_IN_ORDER = f"""
WITH RECURSIVE visited AS (
    (
        SELECT w.subject_id FROM work w
        WHERE w.tenant_id = %(tenant)s AND w.kind = %(kind)s AND w.state IN ('ready', 'leased')
          AND w.subject_id >= %(begin_at)s
        ORDER BY w.subject_id LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT w.subject_id FROM work w
        WHERE w.tenant_id = %(tenant)s AND w.kind = %(kind)s AND w.state IN ('ready', 'leased')
          AND w.subject_id > v.subject_id
        ORDER BY w.subject_id LIMIT 1
    ) FROM visited v WHERE v.subject_id IS NOT NULL
), subjects AS (
    SELECT subject_id FROM visited WHERE subject_id IS NOT NULL LIMIT %(subjects)s
), heads AS (
    SELECT h.id FROM subjects s CROSS JOIN LATERAL (
        SELECT w.id, w.state, w.due_at FROM work w
        WHERE w.tenant_id = %(tenant)s AND w.kind = %(kind)s AND w.state IN ('ready', 'leased')
          AND w.subject_id = s.subject_id
        ORDER BY w.position LIMIT 1
    ) h
    WHERE h.state = 'ready' AND h.due_at <= statement_timestamp() AND NOT EXISTS (
        SELECT 1 FROM work w
        WHERE w.tenant_id = %(tenant)s AND w.kind = %(kind)s AND w.state = 'leased'
          AND w.lease_until > statement_timestamp() AND w.subject_id = s.subject_id
    )
    ORDER BY h.due_at LIMIT %(limit)s
), locked AS (
    -- The head's lock is the subject's: who skips it, or finds it changed when the lock comes free, leaves the subject.
    SELECT w.subject_id FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM heads)) AND w.lease_token IS NULL
      AND w.done_at IS NULL AND w.due_at <= statement_timestamp()
    FOR UPDATE SKIP LOCKED
), due AS (
    SELECT l.subject_id, b.* FROM locked l CROSS JOIN LATERAL (
        SELECT o.id, o.conversation_id, o.message_id, o.position, row_number() OVER (ORDER BY o.position) AS turn,
            bool_and(o.state = 'ready' AND o.due_at <= statement_timestamp()) OVER (ORDER BY o.position) AS free
        FROM (
            SELECT w.id, w.conversation_id, w.message_id, w.state, w.due_at, w.position FROM work w
            WHERE w.tenant_id = %(tenant)s AND w.kind = %(kind)s AND w.state IN ('ready', 'leased')
              AND w.subject_id = l.subject_id
            -- Each subject has its share: a backlog of one does not fill the batch.
            ORDER BY w.position
            LIMIT least(%(per_subject)s, ceil(%(limit)s::numeric / (SELECT greatest(count(*), 1) FROM locked)))::bigint
        ) o
        ORDER BY o.position
    ) b
    WHERE b.free LIMIT %(limit)s
), weighed AS (
    -- One of each subject, then the second of each: long texts of one subject do not fill the batch either.
    SELECT s.subject_id, s.id, s.position, sum(s.size) OVER (ORDER BY s.turn, s.position) - s.size AS before
    FROM (SELECT i.subject_id, i.id, i.turn, i.position, {_CONTENT_BYTES} AS size FROM due i) s
), run AS (
    SELECT subject_id, id, position FROM weighed WHERE before < %(bytes)s
), taken AS (
    -- Never waits: who deletes a conversation locks its items one by one, the head among them.
    SELECT w.id FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM run)) AND w.lease_token IS NULL
      AND w.done_at IS NULL
    FOR UPDATE SKIP LOCKED
), picked AS (
    -- What was skipped holds up what was said after it.
    SELECT t.id FROM (
        SELECT r.id,
            bool_and(r.id IN (SELECT id FROM taken)) OVER (PARTITION BY r.subject_id ORDER BY r.position) AS free
        FROM run r
    ) t
    WHERE t.free
)
UPDATE work w
SET state = 'leased', lease_token = %(token)s, lease_until = statement_timestamp() + %(lease)s
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM picked))
{_RETURNING}
"""  # noqa: S608 - constants

# The first lost lease is not the item's fault as far as anybody knows: it goes on in a batch and is not given up for
# it. After a second in a row it goes ``alone``, and so does an item that cannot afford another loss.
TAKE_OVER = f"""
WITH abandoned AS (
    SELECT w.id, w.subject_id, w.conversation_id, w.message_id, w.lease_until, w.position FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.kind = %(kind)s
      AND w.state = 'leased' AND w.lease_until <= statement_timestamp()
      AND (%(alone)s OR (w.error_code <> 'lease_expired' AND w.attempts < %(most)s - 2))
      AND NOT (%(in_order)s AND EXISTS (
        SELECT 1 FROM work o
        WHERE o.tenant_id = %(tenant)s AND o.kind = %(kind)s AND o.subject_id = w.subject_id
          AND o.state IN ('ready', 'leased') AND (
            (o.state = 'leased' AND o.lease_until > statement_timestamp())
            OR (o.position < w.position AND (
                %(alone)s OR o.state = 'ready' OR o.error_code = 'lease_expired' OR o.attempts >= %(most)s - 2
            ))
          )
      ))
    ORDER BY w.lease_until, w.position LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
), weighed AS (
    SELECT s.id, s.subject_id, s.position, sum(s.size) OVER (ORDER BY s.lease_until, s.position) - s.size AS before
    FROM (SELECT i.id, i.subject_id, i.lease_until, i.position, {_CONTENT_BYTES} AS size FROM abandoned i) s
), lost AS (
    SELECT id, subject_id, position FROM weighed WHERE before < %(bytes)s
), picked AS (
    -- What was skipped, or fell behind the limits, holds up what was said after it.
    SELECT l.id FROM lost l
    WHERE NOT (%(in_order)s AND EXISTS (
        SELECT 1 FROM work o
        WHERE o.tenant_id = %(tenant)s AND o.kind = %(kind)s AND o.subject_id = l.subject_id
          AND o.state IN ('ready', 'leased') AND o.position < l.position AND o.id NOT IN (SELECT id FROM lost)
    ))
)
UPDATE work w
SET attempts = CASE WHEN w.error_code = 'lease_expired' THEN w.attempts + 1
        ELSE least(w.attempts + 1, %(most)s - 1) END,
    error_code = 'lease_expired',
    state = CASE WHEN w.error_code = 'lease_expired' AND w.attempts + 1 >= %(most)s THEN 'dead' ELSE 'leased' END,
    lease_token = CASE WHEN w.error_code = 'lease_expired' AND w.attempts + 1 >= %(most)s THEN NULL ELSE %(token)s END,
    lease_until = CASE WHEN w.error_code = 'lease_expired' AND w.attempts + 1 >= %(most)s THEN NULL
        ELSE statement_timestamp() + %(lease)s END
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM picked))
{_RETURNING}
"""  # noqa: S608 - constants

_HELD = """\
WITH held AS (
    SELECT w.id FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.id = ANY (%(ids)s::uuid[]) AND w.lease_token = ANY (%(tokens)s::uuid[])
    ORDER BY w.position FOR UPDATE
)
"""

HOLD = """
SELECT w.id FROM work w
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (%(ids)s::uuid[]) AND w.lease_token = ANY (%(tokens)s::uuid[])
ORDER BY w.position FOR UPDATE
"""

COMPLETE = """
UPDATE work w
SET state = 'done', done_at = clock_timestamp(), lease_token = NULL, lease_until = NULL, error_code = ''
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (%(ids)s::uuid[]) AND w.lease_token = ANY (%(tokens)s::uuid[])
RETURNING w.kind, extract(epoch FROM clock_timestamp() - w.due_at)::float8
"""

FAIL = f"""
{_HELD}UPDATE work w
SET attempts = w.attempts + 1, error_code = %(code)s, lease_token = NULL, lease_until = NULL,
    state = CASE WHEN w.attempts + 1 >= %(most)s THEN 'dead' ELSE 'ready' END,
    due_at = clock_timestamp() + least(%(cap)s, %(base)s * power(2, least(w.attempts, 20))) * (0.5 + random() / 2)
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM held))
RETURNING w.id, w.state
"""  # noqa: S608 - constants

RELEASE = f"""
{_HELD}UPDATE work w
SET state = 'ready', due_at = clock_timestamp() + %(delay)s, lease_token = NULL, lease_until = NULL,
    error_code = %(code)s
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM held))
RETURNING w.id
"""  # noqa: S608 - constants

RENEW = f"""
{_HELD}UPDATE work w
SET lease_until = clock_timestamp() + %(lease)s
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM held))
RETURNING w.id
"""  # noqa: S608 - constants

ABANDON = """
WITH held AS (
    SELECT w.id FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.id = ANY (%(ids)s::uuid[]) AND w.lease_token = ANY (%(tokens)s::uuid[])
    FOR UPDATE SKIP LOCKED
)
UPDATE work w
SET lease_until = statement_timestamp()
WHERE w.tenant_id = %(tenant)s AND w.id = ANY (ARRAY(SELECT id FROM held))
RETURNING w.id
"""

PENDING = """
SELECT o.items, d.items, extract(epoch FROM clock_timestamp() - o.oldest)::float8
FROM (
    SELECT count(*) AS items, min(w.created_at) AS oldest FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.kind IN ('statement', 'extract', 'conversation')
      AND w.subject_id = %(subject)s AND w.state IN ('ready', 'leased')
) o, (
    SELECT count(*) AS items FROM work w
    WHERE w.tenant_id = %(tenant)s AND w.subject_id = %(subject)s AND w.state = 'dead'
) d
"""

COUNT_REMOVED = """
INSERT INTO work_removed AS r (tenant_id, id, day, count)
VALUES (%(tenant)s, %(id)s, (statement_timestamp() AT TIME ZONE 'UTC')::date, %(count)s)
ON CONFLICT (tenant_id, day) DO UPDATE SET count = r.count + excluded.count
"""

TENANTS_WITH_DUE_WORK = "SELECT tenant_id FROM app.tenants_with_due_work(%(at_most)s)"

BY_TENANT = "SELECT tenant_id, waiting, dead, oldest_waiting_seconds FROM app.work_by_tenant()"

BACKLOG = "SELECT waiting, dead, oldest_due_seconds FROM app.work_backlog()"

# Positions come from a sequence, row by row after the sort: the order of the arrays is the order of the items.
ENQUEUE_MESSAGES = """
INSERT INTO work (tenant_id, id, subject_id, kind, conversation_id, message_id, generation, state, attempts, error_code,
  trace_parent)
SELECT %(tenant)s, i.id, i.subject_id, i.kind, i.conversation_id, i.message_id, 0, 'ready', 0, '',
  %(trace_parent)s::text
FROM unnest(
    %(ids)s::uuid[], %(kinds)s::text[], %(subjects)s::uuid[], %(conversations)s::uuid[], %(messages)s::uuid[]
) WITH ORDINALITY AS i (id, kind, subject_id, conversation_id, message_id, turn)
ORDER BY i.turn
ON CONFLICT DO NOTHING
"""

# Of a backlog only the newest stretch: its summary covers the earlier ones.
ENQUEUE_SUMMARIES = """
INSERT INTO work (tenant_id, id, subject_id, kind, conversation_id, generation, state, attempts, error_code)
SELECT c.tenant_id, gen_random_uuid(), c.subject_id, 'summary', c.id, t.turns / %(every)s, 'ready', 0, ''
FROM conversation c CROSS JOIN LATERAL (
    SELECT count(*) AS turns FROM message m
    WHERE m.tenant_id = c.tenant_id AND m.conversation_id = c.id AND m.role = 'user'
) t
WHERE c.tenant_id = %(tenant)s AND c.id = ANY (%(conversations)s::uuid[]) AND c.remember AND t.turns >= %(every)s
ORDER BY c.id
ON CONFLICT DO NOTHING
"""


def run_sql(statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"tenant": current_tenant_id(), **parameters})
        return cursor.fetchall() if cursor.description else []


def run_sql_for_items(statement: str, items: Iterable[ClaimedWork], **parameters: Any) -> list[tuple[Any, ...]]:
    """Run one statement about ``items`` and return its rows; it affects only those whose lease is still theirs."""
    held = list(items)
    if not held:
        return []
    ids, tokens = [item.id for item in held], list({item.lease_token for item in held})
    return run_sql(statement, ids=ids, tokens=tokens, **parameters)
