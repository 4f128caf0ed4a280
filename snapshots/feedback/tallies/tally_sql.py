"""The statements of tallies: a batch as one JSON value. Rows are taken in one order, so that batches never cross."""

ADD_SNAPSHOTS = """
INSERT INTO snapshot_counter (
    tenant_id, id, subject_id, snapshot_id, injected, utilised, judged, positive, negative, corrected
)
SELECT s.tenant_id, u.id, u.subject_id, u.memory_ref,
    u.injected, u.utilised, u.judged, u.positive, u.negative, u.corrected
FROM jsonb_to_recordset(%(rows)s::jsonb) AS u (
    id uuid, lane text, subject_id uuid, memory_ref uuid,
    injected integer, utilised integer, judged integer, positive integer, negative integer, corrected integer
) JOIN snapshot s ON s.tenant_id = %(tenant)s AND s.subject_id = u.subject_id AND s.id = u.memory_ref
ORDER BY u.memory_ref
FOR KEY SHARE OF s
ON CONFLICT (tenant_id, snapshot_id) DO UPDATE SET
    injected = snapshot_counter.injected + excluded.injected,
    utilised = snapshot_counter.utilised + excluded.utilised,
    judged = snapshot_counter.judged + excluded.judged,
    positive = snapshot_counter.positive + excluded.positive,
    negative = snapshot_counter.negative + excluded.negative,
    corrected = snapshot_counter.corrected + excluded.corrected
"""
"""A snapshot that is gone has no tally; one that is here stays until the batch is written."""

ADD_BELIEFS = """
INSERT INTO belief_counter (
    tenant_id, id, subject_id, lane, memory_ref, injected, utilised, judged, positive, negative, corrected
)
SELECT %(tenant)s, u.id, u.subject_id, u.lane, u.memory_ref,
    u.injected, u.utilised, u.judged, u.positive, u.negative, u.corrected
FROM jsonb_to_recordset(%(rows)s::jsonb) AS u (
    id uuid, lane text, subject_id uuid, memory_ref uuid,
    injected integer, utilised integer, judged integer, positive integer, negative integer, corrected integer
)
ORDER BY u.lane, u.memory_ref
ON CONFLICT (tenant_id, lane, memory_ref) DO UPDATE SET
    injected = belief_counter.injected + excluded.injected,
    utilised = belief_counter.utilised + excluded.utilised,
    judged = belief_counter.judged + excluded.judged,
    positive = belief_counter.positive + excluded.positive,
    negative = belief_counter.negative + excluded.negative,
    corrected = belief_counter.corrected + excluded.corrected
"""

TAKE_SNAPSHOTS = """
UPDATE snapshot_counter t SET
    injected = greatest(t.injected - u.injected, 0),
    utilised = greatest(t.utilised - u.utilised, 0),
    judged = greatest(t.judged - u.judged, 0),
    positive = greatest(t.positive - u.positive, 0),
    negative = greatest(t.negative - u.negative, 0),
    corrected = greatest(t.corrected - u.corrected, 0)
FROM jsonb_to_recordset(%(rows)s::jsonb) AS u (
    id uuid, lane text, subject_id uuid, memory_ref uuid,
    injected integer, utilised integer, judged integer, positive integer, negative integer, corrected integer
)
WHERE t.tenant_id = %(tenant)s AND t.subject_id = u.subject_id AND t.snapshot_id = u.memory_ref
"""

TAKE_BELIEFS = """
UPDATE belief_counter t SET
    injected = greatest(t.injected - u.injected, 0),
    utilised = greatest(t.utilised - u.utilised, 0),
    judged = greatest(t.judged - u.judged, 0),
    positive = greatest(t.positive - u.positive, 0),
    negative = greatest(t.negative - u.negative, 0),
    corrected = greatest(t.corrected - u.corrected, 0)
FROM jsonb_to_recordset(%(rows)s::jsonb) AS u (
    id uuid, lane text, subject_id uuid, memory_ref uuid,
    injected integer, utilised integer, judged integer, positive integer, negative integer, corrected integer
)
WHERE t.tenant_id = %(tenant)s AND t.subject_id = u.subject_id AND t.lane = u.lane AND t.memory_ref = u.memory_ref
"""

MARK_COUNTED = """
UPDATE receipt_memory m SET counted = u.counted FROM jsonb_to_recordset(%(rows)s::jsonb) AS u (id uuid, counted jsonb)
WHERE m.tenant_id = %(tenant)s AND m.id = u.id
"""
