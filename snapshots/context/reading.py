"""What the rules read in a request where its caller says nothing: intent and phase (X6, X7)."""

from collections.abc import Sequence
from dataclasses import replace

from snapshots.context.intent import INTENTS, detect_intent, detect_phase
from snapshots.context.shelves import without_echo
from snapshots.context.values import ContextRequest, WindowTurn


def understood(request: ContextRequest, turns: Sequence[WindowTurn]) -> ContextRequest:
    """Return the request with an intent and a phase: the caller's, else those that its query and ``turns`` tell."""
    read = request.intent if request.intent in INTENTS else detect_intent(request.query)
    before = without_echo(turns, request.query)
    phase = request.phase or detect_phase(
        request.query,
        intent=read,
        turns=sum(1 for turn in before if turn.role == "user"),
        tool_open=tool_open(before),
    )
    return replace(request, intent=request.intent or read, phase=phase)


def tool_open(turns: Sequence[WindowTurn]) -> bool:
    """Return whether the last turn of the assistant called a tool."""
    last = next((turn for turn in reversed(turns) if turn.role == "assistant"), None)
    return last is not None and bool(last.tool_calls)
