"""One question over one subject as one SQL statement straight from the tables: what recall has to answer, said plainly.

Nothing is kept between two questions and nothing is shared with the kernel but the question made ready (its terms,
vectors and times) and the policies. Postgres reckons in double precision. Vectors are rounded to 127 steps of their
largest number, as an index holds them, so that what differs is the rounding of single precision alone.
"""

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson

from memory_platform.postgres.prepared_statements import fetch_prepared
from snapshots.embedding.embedding_spaces import space_id
from snapshots.embedding.index_row_packing import hash_term
from snapshots.embedding.marker_terms import QUESTION, TIME
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.question import Probe, RecallQuestion, resolve_probe_times
from snapshots.recall.values import RecallQuery
from snapshots.relevance.config import RELEVANCE
from tenants.isolation import tenant_tx

FLAT = 1e-6
"""Numbers that differ by less tell nothing apart: they are equal but for rounding."""

PLAIN_SQL = """
WITH ask AS MATERIALIZED (
  SELECT * FROM jsonb_to_record($3::jsonb) AS ask (
    at timestamptz, begun_by timestamptz, asked_at timestamptz, kinds text[], since timestamptz,
    bm25_k1 float8, bm25_b float8, keyword_own float8, keyword_window float8, keyword_sitting float8,
    dense_dated float8, dense_continued float8, smooth_previous float8, smooth_next float8, query_terms int,
    related_terms int, related_share float8, named_speaker float8, named_time float8, said_after_days float8,
    asking float8, asked_alike float8, longer float8, sitting_gap_hours float8, question_mark bigint,
    time_mark bigint, asks_when boolean,
    recency_days float8[], recency_values float8[], validation_days float8[], validation_values float8[],
    provenance float8[], frequency_injected int, frequency_liked float8, frequency_disliked float8,
    frequency_bonus float8, frequency_malus float8, use_recency boolean, use_confidence boolean,
    use_provenance boolean, use_frequency boolean, depth int, different int, beside bigint[], flat float8,
    say_once boolean, statement_slope float8, statement_base float8, needs float8, terms jsonb, related jsonb,
    spaces jsonb, spans jsonb)
), term AS MATERIALIZED (
  SELECT t.* FROM ask, jsonb_to_recordset(ask.terms) AS t (place int, key bigint, weight float8)
), memory AS MATERIALIZED (
  SELECT s.*, w.words, w.saying, c.external_id AS conversation, coalesce(n.judged, 0) AS injected,
         coalesce(n.positive, 0) AS positive
  FROM snapshot s
  JOIN snapshot_words w ON w.tenant_id = s.tenant_id AND w.snapshot_id = s.id
  LEFT JOIN conversation c ON c.tenant_id = s.tenant_id AND c.id = s.conversation_id
  LEFT JOIN snapshot_counter n ON n.tenant_id = s.tenant_id AND n.snapshot_id = s.id
  WHERE s.tenant_id = $1 AND s.subject_id = $2
), posting AS MATERIALIZED (  -- field: 0 the text, 1 the speaker, 2 what it is about, 3 the turn before
  SELECT id, get_byte(words, i) + (get_byte(words, i + 1) << 8) + (get_byte(words, i + 2) << 16)
             + get_byte(words, i + 3) * 16777216::bigint AS key,
         get_byte(words, i + 4) >> 6 AS field, (get_byte(words, i + 4) & 63)::float8 AS tf
  FROM memory, generate_series(0, length(words) - 5, 5) AS i
), said AS MATERIALIZED (
  SELECT m.id, coalesce(sum(tf) FILTER (WHERE field = 0), 0) AS text,
         coalesce(sum(tf) FILTER (WHERE field = 1), 0) AS speaker,
         coalesce(sum(tf) FILTER (WHERE field = 2), 0) AS about,
         coalesce(sum(tf) FILTER (WHERE field = 3), 0) AS before,
         coalesce(bool_or(field = 2 AND key = ask.question_mark), false) AS asks,
         coalesce(bool_or(field = 2 AND key = ask.time_mark), false) AS names_time
  FROM ask, memory m LEFT JOIN posting p ON p.id = m.id GROUP BY m.id
), spoken AS MATERIALIZED (
  SELECT id, conversation, lag(id) OVER turns AS previous, lead(id) OVER turns AS next,
         ARRAY[lag(id, 2) OVER turns, lag(id) OVER turns, lead(id) OVER turns, lead(id, 2) OVER turns] AS around,
         coalesce(abs(extract(epoch FROM said_at - lag(said_at) OVER turns)) > sitting_gap_hours * 3600, true)
           AS begins, row_number() OVER turns AS turn
  FROM memory, ask WHERE conversation IS NOT NULL AND seq IS NOT NULL
  WINDOW turns AS (PARTITION BY conversation ORDER BY seq, position)
), sitting AS MATERIALIZED (
  SELECT id, format('%s/%s', conversation, count(*) FILTER (WHERE begins)
                    OVER (PARTITION BY conversation ORDER BY turn)) AS doc FROM spoken
  UNION ALL SELECT id, id::text FROM memory WHERE conversation IS NULL OR seq IS NULL
), heard AS MATERIALIZED (
  SELECT s.id, o.id AS other FROM spoken s, unnest(s.around) AS o (id) WHERE o.id IS NOT NULL
), document AS (
  SELECT 'own' AS view, id::text AS doc, text + speaker + about AS length FROM said
  UNION ALL SELECT 'window', s.id::text, s.text + s.speaker + s.before + coalesce(sum(o.text), 0)
  FROM said s LEFT JOIN heard h ON h.id = s.id LEFT JOIN said o ON o.id = h.other
  GROUP BY s.id, s.text, s.speaker, s.before
  UNION ALL SELECT 'sitting', doc, sum(text) FROM sitting JOIN said USING (id) GROUP BY doc
), normed AS MATERIALIZED (
  SELECT view, doc, count(*) OVER one_view AS docs,
         bm25_k1 * (1 - bm25_b + bm25_b * length / greatest(avg(length) OVER one_view, 1)) AS norm
  FROM document, ask WINDOW one_view AS (PARTITION BY view)
), named AS MATERIALIZED (
  SELECT name, array_agg(DISTINCT key) AS keys FROM memory JOIN posting USING (id)
  WHERE field = 1 AND name IS NOT NULL GROUP BY name HAVING bool_and(key IN (SELECT key FROM term))
), unnamed AS (
  SELECT * FROM term WHERE key NOT IN (SELECT unnest(keys) FROM named)
), wanted AS MATERIALIZED (
  SELECT * FROM unnamed UNION ALL SELECT * FROM term WHERE NOT EXISTS (SELECT FROM unnamed)
), rarest AS (
  SELECT key, weight FROM wanted JOIN posting USING (key)
  GROUP BY place, key, weight ORDER BY count(*), place LIMIT (SELECT query_terms FROM ask)
), near_term AS (
  SELECT r.key, r.cosine * w.weight AS share, row_number() OVER (PARTITION BY r.source ORDER BY r.place) AS nth
  FROM ask, jsonb_to_recordset(ask.related) AS r (place int, source bigint, key bigint, cosine float8)
  JOIN wanted w ON w.key = r.source WHERE r.key IN (SELECT key FROM posting)
), scored_term AS MATERIALIZED (
  SELECT * FROM rarest
  UNION ALL SELECT key, max(related_share * share) FROM near_term, ask WHERE nth <= related_terms GROUP BY key
), hit AS MATERIALIZED (
  SELECT id, key, field, tf FROM posting WHERE key IN (SELECT key FROM scored_term)
), held AS (
  SELECT 'own' AS view, id::text AS doc, key, tf FROM hit WHERE field <> 3
  UNION ALL SELECT 'window', id::text, key, tf FROM hit WHERE field <> 2
  UNION ALL SELECT 'window', o.id::text, key, tf FROM heard o JOIN hit h ON h.id = o.other WHERE field = 0
  UNION ALL SELECT 'sitting', doc, key, tf FROM hit JOIN sitting USING (id) WHERE field = 0
), counted AS (
  SELECT view, doc, key, sum(tf) AS tf, count(*) OVER (PARTITION BY view, key) AS df FROM held GROUP BY view, doc, key
), bm25 AS MATERIALIZED (
  SELECT view, doc, sum(weight * ln(1 + (docs - df + 0.5) / (df + 0.5)) * tf / (tf + norm)) AS score
  FROM counted JOIN normed USING (view, doc) JOIN scored_term USING (key) GROUP BY view, doc
), words AS MATERIALIZED (
  SELECT m.id, coalesce(o.score, 0) AS own, coalesce(w.score, 0) AS window_score,
         CASE WHEN (SELECT count(DISTINCT doc) FROM sitting) < count(*) OVER () THEN coalesce(c.score, 0) ELSE 0 END
           AS sitting
  FROM memory m JOIN sitting s USING (id)
  LEFT JOIN bm25 o ON o.view = 'own' AND o.doc = m.id::text
  LEFT JOIN bm25 w ON w.view = 'window' AND w.doc = m.id::text
  LEFT JOIN bm25 c ON c.view = 'sitting' AND c.doc = s.doc
), space AS MATERIALIZED (
  SELECT s.*, q.top, q.norm FROM ask, jsonb_to_recordset(ask.spaces)
    AS s (place int, id uuid, vector float8[], floor float8, weight float8, alike float8),
  LATERAL (SELECT max(abs(x)) AS top, sqrt(sum(x * x)) AS norm FROM unnest(s.vector) AS x) q
), placed AS (  -- a memory stands in the first listed space that holds it
  SELECT DISTINCT ON (v.snapshot_id) v.snapshot_id AS id, v.dated, v.previous, s.*
  FROM snapshot_vector v JOIN space s (place, space_id, vector, floor, weight, alike, top, norm) USING (space_id)
  WHERE v.tenant_id = $1 AND v.subject_id = $2 ORDER BY v.snapshot_id, s.place
), cosine AS MATERIALIZED (
  SELECT p.id, p.place, p.floor, p.weight, p.alike, d.view, coalesce((
    SELECT sum(round(x * 127 / nullif(l.top, 0)) * round(y * 127 / p.top)) * (l.top / l.norm) * (p.top / p.norm) / 16129
    FROM unnest(d.vector, p.vector) AS both_of (x, y)), 0) AS cosine
  FROM placed p, LATERAL (VALUES ('dated', p.dated::real[]::float8[]), ('continued', p.previous::real[]::float8[]))
    AS d (view, vector),
  LATERAL (SELECT max(abs(x)) AS top, sqrt(sum(x * x)) AS norm FROM unnest(d.vector) AS x) l
  WHERE p.vector IS NOT NULL AND EXISTS (SELECT FROM memory m WHERE m.id = p.id)
), standing AS MATERIALIZED (
  SELECT id, view, cosine, cosine >= floor AS near, weight,
         CASE WHEN alike < 1 AND view = 'dated' THEN greatest(0, (cosine - alike) / (1 - alike)) ELSE 0 END AS alike,
         CASE WHEN stddev_pop(cosine) OVER one_view > flat
              THEN weight * (cosine - avg(cosine) OVER one_view) / stddev_pop(cosine) OVER one_view ELSE 0 END AS z
  FROM cosine, ask WINDOW one_view AS (PARTITION BY place, view)
), view AS MATERIALIZED (
  SELECT id, v.name, v.weight, CASE WHEN stddev_pop(v.score) OVER one_view > flat
    THEN (v.score - avg(v.score) OVER one_view) / stddev_pop(v.score) OVER one_view ELSE 0 END AS z
  FROM words, ask, LATERAL (VALUES ('own', keyword_own, own), ('window', keyword_window, window_score),
    ('sitting', keyword_sitting, sitting)) AS v (name, weight, score)
  WINDOW one_view AS (PARTITION BY v.name)
  UNION ALL
  SELECT id, view, mean.weight * CASE view WHEN 'dated' THEN dense_dated ELSE dense_continued END, z / mean.weight
  FROM ask, standing, (SELECT avg(weight) AS weight FROM standing) AS mean
), telling AS (
  SELECT sum(weight) AS total FROM (SELECT name, max(weight) AS weight FROM view GROUP BY name HAVING bool_or(z <> 0)) t
), own AS (
  SELECT id, sum(weight * z) / (SELECT total FROM telling) AS score FROM view GROUP BY id
), judged AS MATERIALIZED (
  SELECT id, coalesce(own.score, 0) + longer * ln(1 + text + speaker + about)
             - CASE WHEN asks THEN asking + asked_alike * coalesce(
               (SELECT max(alike) FROM standing s WHERE s.id = said.id), 0) ELSE 0 END AS score
  FROM ask, said JOIN own USING (id)
), timely AS MATERIALIZED (
  SELECT m.id, coalesce((
    SELECT max(t.worth * greatest(0, 1 - greatest(0, extract(epoch FROM said_at - t.until) / 86400) / said_after_days))
    FROM jsonb_to_recordset(ask.spans) AS t (since timestamptz, until timestamptz, worth float8)
    WHERE said_at >= t.since), 0) AS gain
  FROM memory m, ask
), fused AS MATERIALIZED (
  SELECT m.*, round((  -- what is equal in all is equal here, too, in whatever order Postgres added it up
           j.score + coalesce(smooth_previous * before.score, 0) + coalesce(smooth_next * after.score, 0)
           + CASE WHEN m.name IN (SELECT name FROM named) THEN named_speaker ELSE 0 END
           + CASE WHEN asks_when AND d.names_time THEN named_time ELSE 0 END + t.gain)::numeric, 9)::float8 AS fused,
         w.own > 0 OR w.window_score > 0
         OR m.id IN (SELECT id FROM standing WHERE near)
         OR t.gain > 0 AND beside <@ ARRAY(SELECT unnest(keys) FROM named) AS found
  FROM ask, memory m JOIN judged j USING (id) JOIN said d USING (id) JOIN words w USING (id) JOIN timely t USING (id)
  LEFT JOIN spoken s USING (id) LEFT JOIN judged before ON before.id = s.previous
  LEFT JOIN judged after ON after.id = s.next
), remembered AS MATERIALIZED (
  SELECT f.* FROM fused f, ask
  WHERE retired_at IS NULL AND valid_at <= begun_by AND coalesce(begun_by < invalid_at, true)
    AND coalesce(expires_at > asked_at, true)
), alive AS MATERIALIZED (
  SELECT f.* FROM remembered f, ask WHERE (kinds IS NULL OR kind = ANY(kinds)) AND coalesce(said_at >= since, true)
), answering AS MATERIALIZED (
  SELECT f.*, row_number() OVER (ORDER BY fused DESC, position DESC) AS lane_place,
         CASE WHEN use_recency THEN recency_values[1 + (SELECT count(*) FROM unnest(recency_days) AS l (days)
           WHERE extract(epoch FROM at - f.said_at) / 86400 > l.days)] ELSE 1 END
         * CASE WHEN use_confidence THEN f.confidence * validation_values[1 + (SELECT count(*)
           FROM unnest(validation_days) AS l (days)
           WHERE extract(epoch FROM at - f.last_validated_at) / 86400 > l.days)] ELSE 1 END
         * CASE WHEN use_provenance THEN ask.provenance[CASE f.provenance
           WHEN 'observation' THEN 1 WHEN 'analysis' THEN 2 WHEN 'confirmed_by_user' THEN 3 END] ELSE 1 END
         * CASE WHEN NOT use_frequency OR injected < frequency_injected THEN 1
                WHEN positive::float8 / injected < frequency_disliked THEN frequency_malus
                WHEN positive::float8 / injected > frequency_liked THEN frequency_bonus ELSE 1 END AS factors
  FROM alive f, ask WHERE found
), among AS (
  SELECT count(*) AS number, avg(fused) AS mean, greatest(stddev_pop(fused), max(flat)) AS spread FROM remembered, ask
), said_before AS (
  SELECT f.*, coalesce(sum(f.new::int) OVER (ORDER BY lane_place ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW), 0)
    AS sayings
  FROM (SELECT a.*, NOT say_once OR coalesce(saying, 0) = 0
          OR row_number() OVER (PARTITION BY saying ORDER BY lane_place) = 1 AS new FROM ask, answering a) f
), candidate AS (
  SELECT s.* FROM ask, said_before s WHERE lane_place <= depth OR sayings < different
), final AS (
  SELECT candidate.*, factors * round((needs / (1 + exp(ln(number) - statement_base
    - statement_slope * (fused - mean) / spread)))::numeric, 6)::float8 AS score
  FROM ask, among, candidate
), ranked AS MATERIALIZED (
  SELECT id, score, saying, row_number() OVER (ORDER BY score DESC, fused DESC, position DESC) AS place FROM final
)
SELECT id, score, say_once AND saying <> 0 AND EXISTS (
  SELECT FROM ranked first WHERE first.saying = again.saying AND first.place < again.place) AS repeats
FROM ask, ranked again ORDER BY place
"""

PLANNED_ONCE = """
SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_nestloop', 'off', true)
"""
"""Postgres cannot know how few rows each part has: planning anew costs 13 ms of 20, and nested loops are quadratic."""


@dataclass(frozen=True, slots=True)
class RankedRow:
    """One memory as SQL ranks it, with the score that recall gives it."""

    id: UUID
    score: float


def rank_plainly(tenant_id: UUID, subject_id: UUID, query: RecallQuery, question: RecallQuestion) -> list[RankedRow]:
    """Return all candidates that repeat none before them, the best first and among equals the newer, in a scope."""
    with tenant_tx(tenant_id):
        fetch_prepared(PLANNED_ONCE)
        rows = fetch_prepared(
            PLAIN_SQL, [tenant_id, subject_id, orjson.dumps(_list_parameters(query, question)).decode()]
        )
    return [RankedRow(row[0], row[1]) for row in rows if not row[2]]


def _list_parameters(query: RecallQuery, question: RecallQuestion) -> dict[str, Any]:
    """Return everything that the statement reads beside the tables: the policies, the question, the spaces to ask."""
    scoring, ranking = DEFAULT_RECALL.scoring, DEFAULT_RECALL.ranking
    assert ranking.recency_curve == "steps"  # the only one that the statement knows
    probe = resolve_probe_times(question.probe, query.text, query.at)
    ahead = timedelta(seconds=0 if query.as_of else DEFAULT_RECALL.clock_skew_seconds)
    return {
        **asdict(scoring),
        **asdict(ranking),
        **asdict(RELEVANCE),
        "needs": probe.needs,
        "flat": FLAT,
        "depth": max(DEFAULT_RECALL.lane_depth, 2 * query.top_k),
        "different": 2 * query.top_k,
        "at": query.at,
        "begun_by": query.at + ahead,
        "asked_at": query.asked_at,
        "since": query.since,
        "kinds": sorted(query.kinds) or None,
        "question_mark": hash_term(QUESTION),
        "time_mark": hash_term(TIME),
        "asks_when": probe.asks_when,
        "beside": sorted(probe.beside),
        **_words(probe),
        "spaces": [
            {
                "place": place,
                "id": space_id(embedder),
                "vector": probe.vectors[embedder.name].tolist() if embedder.name in probe.vectors else None,
                "floor": dict(scoring.cosine_floors).get(embedder.name, -1.0),
                "weight": dict(scoring.dense_weights).get(embedder.name, 1.0),
                "alike": dict(scoring.alike_cosines).get(embedder.name, 1.0),
            }
            for place, embedder in enumerate(question.embedders)
        ],
        "spans": [
            {
                "since": span.start,
                "until": span.end,
                "worth": scoring.said_recently if span.vague else scoring.said_in_time,
            }
            for span in probe.times.spans
        ],
    }


def _words(probe: Probe) -> dict[str, Any]:
    related = probe.related
    near = zip(related.source.tolist(), related.keys.tolist(), related.cosines.tolist(), strict=True)
    return {
        "terms": [
            {"place": place, "key": key, "weight": weight} for place, (key, weight) in enumerate(probe.terms.items())
        ],
        "related": [
            {"place": place, "source": source, "key": key, "cosine": cosine}
            for place, (source, key, cosine) in enumerate(near)
        ],
    }
