"""Triggers that write what webhooks are told, in the statement of the change: no writer can forget it.

Their WHEN clauses choose the rows; what a message says (statements, replies) calls no function. A tenant without a
webhook pays one look into an empty index for a memory.
"""

from collections.abc import Iterator

# What counts as a memory. Statements and replies are the talk itself; a summary is told as such.
_KINDS = "('note', 'manual', 'episode', 'consolidated')"

FUNCTION = """
CREATE OR REPLACE FUNCTION app.tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told record;
  its_kind text := TG_ARGV[1];
  its_id uuid;
  person uuid;
  event_ref uuid := gen_random_uuid();
BEGIN
  IF TG_OP = 'DELETE' THEN told := OLD; ELSE told := NEW; END IF;
  PERFORM 1 FROM public.webhook w
  WHERE w.tenant_id = told.tenant_id AND w.off_reason = '' AND TG_ARGV[0] = ANY (w.events);
  IF NOT FOUND THEN RETURN NULL; END IF;
  its_id := told.id;
  IF TG_TABLE_NAME = 'job' THEN
    its_kind := told.kind;
  ELSE
    person := told.subject_id;
    IF TG_TABLE_NAME = 'tag_detail' THEN its_id := told.tag_id; END IF;
    IF its_kind = 'snapshot' THEN its_kind := told.kind; END IF;
    IF TG_TABLE_NAME = 'snapshot' AND its_kind = 'conversation' THEN its_id := told.conversation_id; END IF;
    -- Of a person who is being erased, one event tells all; a tenant that is being deleted hears nothing.
    PERFORM 1 FROM public.subject s JOIN public.tenant t ON t.id = s.tenant_id
    WHERE s.tenant_id = told.tenant_id AND s.id = person AND NOT s.erasing;
    IF NOT FOUND THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO public.webhook_delivery (tenant_id, id, webhook_id, subject_id, event_id, event, object_kind, object_id)
  SELECT w.tenant_id, gen_random_uuid(), w.id, person, event_ref, TG_ARGV[0], its_kind, its_id
  FROM public.webhook w
  WHERE w.tenant_id = told.tenant_id AND w.off_reason = '' AND TG_ARGV[0] = ANY (w.events);
  RETURN NULL;
END $$
"""


def _build_trigger(table: str, name: str, moment: str, condition: str, event: str, kind: str) -> str:
    return (
        f"CREATE OR REPLACE TRIGGER webhooks_{name} AFTER {moment} ON {table} FOR EACH ROW WHEN ({condition}) "
        f"EXECUTE FUNCTION app.tell_webhooks('{event}', '{kind}')"
    )


def _build_current(row: str) -> str:
    return f"{row}.invalid_at IS NULL AND {row}.retired_at IS NULL"


def _build_memory_triggers(table: str, kind: str, chosen: str) -> Iterator[str]:
    """Yield the triggers of a table whose rows begin and end to be current. ``chosen`` chooses rows, as a condition on
    ``{row}``."""
    new, old = chosen.format(row="NEW"), chosen.format(row="OLD")
    is_current, was_current = _build_current("NEW"), _build_current("OLD")
    change = "UPDATE OF invalid_at, retired_at"
    yield _build_trigger(table, "created", "INSERT", f"{new} AND {is_current}", "memory.created", kind)
    yield _build_trigger(
        table, "current_again", change, f"{new} AND NOT ({was_current}) AND {is_current}", "memory.created", kind
    )
    yield _build_trigger(
        table, "superseded", change, f"{new} AND {was_current} AND NOT ({is_current})", "memory.superseded", kind
    )
    yield _build_trigger(table, "erased", "DELETE", old, "memory.erased", kind)


def build_triggers() -> list[str]:
    """Return the SQL of all triggers. Safe to repeat."""
    summarised = "conversation.summarised"
    return [
        *_build_memory_triggers("snapshot", "snapshot", f"{{row}}.kind IN {_KINDS}"),
        *_build_memory_triggers("preference", "preference", "{row}.version_of_id IS NULL"),
        *_build_memory_triggers("profile_fact", "profile", "{row}.version_of_id IS NULL"),
        _build_trigger("tag", "created", "INSERT", "true", "memory.created", "tag"),
        _build_trigger("tag", "erased", "DELETE", "true", "memory.erased", "tag"),
        _build_trigger(
            "tag_detail",
            "superseded",
            "UPDATE OF invalid_at",
            f"NEW.version_of_id IS NULL AND {_build_current('OLD')} AND NEW.invalid_at IS NOT NULL",
            "memory.superseded",
            "tag",
        ),
        _build_trigger(
            "conversation",
            "summarised",
            "UPDATE OF summary",
            "NEW.summary <> '' AND NEW.summary <> OLD.summary",
            summarised,
            "conversation",
        ),
        _build_trigger(
            "snapshot",
            "summarised",
            "INSERT",
            "NEW.kind = 'conversation' AND NEW.conversation_id IS NOT NULL",
            summarised,
            "conversation",
        ),
        _build_trigger(
            "job", "dead", "UPDATE OF status", "NEW.status = 'dead' AND OLD.status <> 'dead'", "job.dead", ""
        ),
        _build_trigger(
            "work",
            "dead",
            "UPDATE OF state",
            "NEW.kind = 'conversation' AND NEW.state = 'dead' AND OLD.state <> 'dead'",
            "job.dead",
            "conversation_end",
        ),
    ]
