"""Read a context's inputs beside recall: its conversation, standing notes, and the tokens of the history."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import connection

from memory_platform.postgres.prepared_statements import Rows, Statement
from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.context.gathering.later_changes import CHANGED
from snapshots.context.turn.model_tier import TierRoute
from snapshots.context.writing.memory_guide import LANGUAGE_CHARS
from snapshots.conversation_queries import add_archived_words
from snapshots.models import Conversation, Message, MessageRole, NoteGrade
from snapshots.recall.answer import BestHits, render_uuid_array
from snapshots.recall.loading.load_stored_memory import SubjectReader
from snapshots.window.cached_window import load_window_in_scope
from snapshots.window.config import WINDOW_CONFIG
from snapshots.window.values import Window, WindowMessage

# How many of the user's first messages are read: the first may be a picture or a sign.
FIRST_TURNS = 5

HISTORY = "SELECT coalesce(sum(tokens), 0)::bigint FROM message WHERE tenant_id = $1 AND subject_id = $2"

_COLUMNS = [field.attname for field in Conversation._meta.concrete_fields]
CONVERSATION = f"""
SELECT {", ".join(_COLUMNS)} FROM conversation WHERE tenant_id = $1 AND subject_id = $2 AND external_id = $3
"""  # noqa: S608  # columns of the model; values are parameters

BEGINNING = f"""
SELECT left(content, {LANGUAGE_CHARS}), archived FROM message
WHERE tenant_id = $1 AND role = '{MessageRole.USER}' AND conversation_id = (
  SELECT id FROM conversation WHERE tenant_id = $1 AND subject_id = $2 AND external_id = $3)
ORDER BY seq LIMIT {FIRST_TURNS}
"""  # noqa: S608  # made of constants; values are parameters

# Turns that are in neither the summary nor the window: a few, before a summary is due.
BETWEEN = f"""
SELECT m.id, m.external_id, m.seq, m.role, m.name, m.content, m.said_at, m.tokens, m.tool_calls, m.tool_call_id
FROM conversation c JOIN message m ON m.tenant_id = c.tenant_id AND m.conversation_id = c.id
WHERE c.tenant_id = $1 AND c.subject_id = $2 AND c.external_id = $3 AND c.remember AND NOT m.archived
  AND m.seq > c.summarised_seq AND m.seq < c.next_seq - {WINDOW_CONFIG.messages}
ORDER BY m.seq DESC LIMIT {WINDOW_CONFIG.messages}
"""  # noqa: S608  # made of constants; values are parameters

# The notes of a prefix: vital ones, and limits and habits that surely last and are not doubted; the newest if there are
# too many.
STANDING = f"""
SELECT s.id, s.text, s.confidence, s.provenance, s.valid_at, s.said_offset, n.grade, n.statement_id, n.about_label,
       n.relation, n.context, n.vital_class, s.recorded_at
FROM note n JOIN snapshot s ON s.tenant_id = n.tenant_id AND s.id = n.snapshot_id
WHERE n.tenant_id = $1 AND n.subject_id = $2 AND s.invalid_at IS NULL AND s.retired_at IS NULL
  AND (s.expires_at IS NULL OR s.expires_at > now())
  AND (n.vital_class <> '' OR n.grade IN ('{NoteGrade.LIMIT}', '{NoteGrade.HABIT}') AND NOT n.possibly_outdated
    AND (n.grade_probability >= {DEFAULT_CONTEXT.standing_from} OR s.confidence >= 1 OR (SELECT count(*) > 1
      FROM snapshot_source l WHERE l.tenant_id = n.tenant_id AND l.memory_id = n.snapshot_id))
    AND NOT EXISTS (SELECT FROM snapshot o WHERE o.tenant_id = n.tenant_id AND o.id = n.newer AND o.retired_at IS NULL))
ORDER BY n.vital_class = '', s.valid_at DESC, s.id LIMIT {DEFAULT_CONTEXT.standing_notes}
"""  # noqa: S608  # made of constants; values are parameters

# The messages behind the notes that have changed since they were made: some were said again.
SAID_AGAIN = """
SELECT l.memory_id, l.message_id
FROM note n JOIN snapshot s ON s.tenant_id = n.tenant_id AND s.id = n.snapshot_id
JOIN snapshot_source l ON l.tenant_id = n.tenant_id AND l.memory_id = n.snapshot_id
WHERE n.tenant_id = $1 AND n.subject_id = $2 AND s.version > 1 AND s.invalid_at IS NULL AND s.retired_at IS NULL
"""

# Receipts of the subject among which that of the conversation's last answer is looked for.
RECENT_ANSWERS = 20
ROUTE = f"""
SELECT model_route FROM (
  SELECT model_route, conversation_id FROM receipt WHERE tenant_id = $1 AND subject_id = $2
  ORDER BY created_at DESC LIMIT {RECENT_ANSWERS}) recent
WHERE conversation_id = (
  SELECT id FROM conversation WHERE tenant_id = $1 AND subject_id = $2 AND external_id = $3)
LIMIT 1
"""  # noqa: S608  # made of constants; values are parameters


@dataclass(frozen=True, slots=True)
class ConversationScene:
    """The conversation that a context is for: the product's id, its window, the user's first turns. The first turns
    stay while a conversation goes on, so a prefix may depend on them."""

    conversation_id: str
    window: Window
    said_first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextSurroundings:
    """The rows read along with recall, and the tokens of the whole history.

    ``standing`` are the notes of a prefix, ``changed`` and ``said_again`` notes that changed or were said again;
    ``between`` are turns between summary and window, newest first; ``route`` is that of the last answer.
    """

    full_history: int = 0
    standing: Rows = field(default_factory=list)
    changed: Rows = field(default_factory=list)
    said_again: Rows = field(default_factory=list)
    conversation: Conversation | None = None
    beginning: Rows | None = None
    between: tuple[WindowMessage, ...] = ()
    route: TierRoute | None = None


def build_surroundings_queries(
    tenant_id: UUID, subject_id: UUID, best: BestHits, conversation_id: str | None, *, asks_past: bool = False
) -> list[Statement]:
    """Return the statements that read the surroundings; :func:`parse_surroundings` reads their rows. ``asks_past``:
    also notes that ended."""
    own = [tenant_id, subject_id]
    told, replied = [hit.id for hit in (*best.hits, *best.notes)], [hit.id for hit in best.replies]
    changed = Statement(CHANGED, [*own, render_uuid_array(told), render_uuid_array(replied), asks_past])
    always = [Statement(HISTORY, own), Statement(STANDING, own), changed, Statement(SAID_AGAIN, own)]
    if conversation_id is None:
        return always
    place = [tenant_id, subject_id, conversation_id]
    return [*always, *(Statement(sql, place) for sql in (CONVERSATION, BEGINNING, BETWEEN, ROUTE))]


def parse_surroundings(results: Sequence[Rows]) -> ContextSurroundings:
    """Return the results of :func:`build_surroundings_queries`; ``conversation`` is None if it has not started yet."""
    history, standing, changed, said_again, *place = results
    ((tokens,),) = history
    if not place or not place[0]:
        return ContextSurroundings(tokens, standing, changed, said_again)
    rows, beginning, between, routes = place
    conversation = Conversation.from_db(connection.alias, _COLUMNS, rows[0])
    route = TierRoute.from_receipt(routes[0][0]) if routes else None
    return ContextSurroundings(
        tokens,
        standing,
        changed,
        said_again,
        conversation,
        beginning,
        tuple(WindowMessage(*row) for row in between),
        route,
    )


def load_conversation_scene(reader: SubjectReader, around: ContextSurroundings) -> ConversationScene | None:
    """Return the scene, None without a conversation. More is read in the scope of ``reader`` where necessary."""
    conversation = around.conversation
    if conversation is None:
        return None
    window = add_earlier_turns(load_window_in_scope(reader.tenant_id, conversation, reader.scope), around.between)
    if any(archived for _, archived in around.beginning or ()):
        return ConversationScene(conversation.external_id, window, load_archived_beginning(reader, conversation))
    return ConversationScene(conversation.external_id, window, tuple(said for said, _ in around.beginning or ()))


def add_earlier_turns(window: Window, newest_first: Sequence[WindowMessage]) -> Window:
    """Return the window with the turns that lead up to it without a gap."""
    turns = window.turns
    for turn in newest_first:
        if turns and turn.seq == turns[0].seq - 1:
            turns = (turn, *turns)
    return replace(window, turns=turns)


def load_archived_beginning(reader: SubjectReader, conversation: Conversation) -> tuple[str, ...]:
    """Return the user's first turns where their words are archived."""
    with reader.scope():
        rows = Message.objects.filter(
            subject_id=conversation.subject_id, conversation_id=conversation.id, role=MessageRole.USER
        ).order_by("seq")[:FIRST_TURNS]
        return tuple(message.content for message in add_archived_words(list(rows)))
