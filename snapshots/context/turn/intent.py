"""What the user is after (intent) and where the talk stands (phase), in English and Chinese: rules and a linear reader.

Both are hints: the intent chooses a model tier, the phase guidance where the policy asks for it. Only an intent that
the caller names sizes the memory section.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.text import index_form
from snapshots.context.turn.intent_reader import read_by_model
from snapshots.context.turn.intent_rules import AFTER_SALES, CONFIRMATION, GREETING, RULES, SMALL_TALK, Intent, Phase
from snapshots.context.turn.phase_reader import read_phase

NO_VECTORS: Mapping[str, Float32] = {}

# Characters that are read: an intent shows in the first lines, and a pasted document has none.
LONGEST_READ = 1_000


@dataclass(frozen=True, slots=True)
class Reading:
    """An intent and the words that told it ("" for the fallback ``general``)."""

    intent: Intent
    cue: str


_DOING: frozenset[Intent] = frozenset({"task", "navigation"})


def detect_intent(text: str, vectors: Mapping[str, Float32] = NO_VECTORS) -> Intent:
    """Return the intent of one user message; ``general`` for statements that ask for nothing.

    ``vectors``: the message's vectors by embedding space, as recall makes them; without any its words tell.
    """
    form = _form(text)
    return read_by_model(form, read_by_rules(form).intent, vectors) if form else "general"


def read_intent(text: str) -> Reading:
    """Return what rules alone tell of one user message, and the cue. Reads the first ``LONGEST_READ`` characters."""
    return read_by_rules(_form(text))


def read_by_rules(form: str) -> Reading:
    """Do the same for a message in index form."""
    form = GREETING.sub("", form) or form
    small = SMALL_TALK.search(form)
    for intent, pattern in RULES:
        found = pattern.search(form)
        if found and not (small and intent in {"knowledge", "task"}):
            return Reading(intent, found.group()[:40])
    return Reading("small_talk", small.group()[:40]) if small else Reading("general", "")


def detect_phase(
    text: str,
    *,
    intent: Intent,
    turns: int,
    tool_open: bool = False,
    vectors: Mapping[str, Float32] = NO_VECTORS,
) -> Phase:
    """Return where the conversation stands at ``text``, whose ``vectors`` by embedding space these are.

    ``turns``: user turns before this one. ``tool_open``: the last assistant turn called a tool or asked for its input.
    """
    form = _form(text)
    told = phase_by_rules(form, intent=intent, turns=turns, tool_open=tool_open)
    return read_phase(form, told, intent, turns=turns, tool_open=tool_open, vectors=vectors) if form else told


def phase_by_rules(form: str, *, intent: Intent, turns: int, tool_open: bool) -> Phase:
    """Return what rules alone tell of a message in index form.

    What was bought outranks all; then a yes or no; then what is being done; then the beginning.
    """
    if AFTER_SALES.search(form):
        return "after_sales"
    if turns > 0 and CONFIRMATION.search(form):
        return "confirmation"
    if intent in _DOING or tool_open:
        return "task_execution"
    return "opening" if turns == 0 else "in_depth"


def _form(text: str) -> str:
    return index_form(text[:LONGEST_READ]).strip(" \t\n")
