"""Intent and phase of a message, in English and Chinese, by rules and a linear reader.

Both are hints: the intent chooses a model tier, the phase adds guidance where the policy wants it. Only an intent that
the caller names sizes the memory section.
"""

from collections.abc import Mapping

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.text import index_form
from snapshots.context.turn.intent_patterns import AFTER_SALES, CONFIRMATION, GREETING, RULES, SMALL_TALK, Intent, Phase
from snapshots.context.turn.turn_classifiers import classify_intent_by_model, classify_phase_by_model

NO_VECTORS: Mapping[str, Float32] = {}

# Characters that are read: the first lines show the intent; a pasted document after them does not.
LONGEST_READ = 1_000


_DOING: frozenset[Intent] = frozenset({"task", "navigation"})


def detect_intent(text: str, vectors: Mapping[str, Float32] = NO_VECTORS) -> Intent:
    """Return the intent of a user message; ``general`` for statements that ask for nothing. ``vectors`` are the
    message's by embedding space; without any the words decide."""
    form = _index_form_of(text)
    return classify_intent_by_model(form, classify_intent_by_rules(form), vectors) if form else "general"


def classify_intent_by_rules(form: str) -> Intent:
    form = GREETING.sub("", form) or form
    small = SMALL_TALK.search(form)
    for intent, pattern in RULES:
        found = pattern.search(form)
        if found and not (small and intent in {"knowledge", "task"}):
            return intent
    return "small_talk" if small else "general"


def detect_phase(
    text: str,
    *,
    intent: Intent,
    turns: int,
    tool_open: bool = False,
    vectors: Mapping[str, Float32] = NO_VECTORS,
) -> Phase:
    """Return where the conversation stands at ``text``.

    ``turns``: user turns before this one. ``tool_open``: the last assistant turn waits for a tool.
    """
    form = _index_form_of(text)
    told = classify_phase_by_rules(form, intent=intent, turns=turns, tool_open=tool_open)
    return (
        classify_phase_by_model(form, told, intent, turns=turns, tool_open=tool_open, vectors=vectors) if form else told
    )


def classify_phase_by_rules(form: str, *, intent: Intent, turns: int, tool_open: bool) -> Phase:
    """Return the phase of a message in index form by rules: after-sales, then a yes or no, a task, the opening."""
    if AFTER_SALES.search(form):
        return "after_sales"
    if turns > 0 and CONFIRMATION.search(form):
        return "confirmation"
    if intent in _DOING or tool_open:
        return "task_execution"
    return "opening" if turns == 0 else "in_depth"


def _index_form_of(text: str) -> str:
    return index_form(text[:LONGEST_READ]).strip(" \t\n")
