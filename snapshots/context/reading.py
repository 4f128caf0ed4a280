"""What the rules read in a request where its caller says nothing: intent and phase (X6, X7)."""

from collections.abc import Sequence
from dataclasses import replace

from snapshots.context.intent import INTENTS, detect_intent, detect_phase
from snapshots.context.shelves import without_echo
from snapshots.context.values import ContextRequest, WindowTurn


def with_intent(request: ContextRequest) -> ContextRequest:
    """Return the request with an intent: the caller's, else the one that its query tells."""
    return request if request.intent else replace(request, intent=detect_intent(request.query))


def with_phase(request: ContextRequest, turns: Sequence[WindowTurn]) -> ContextRequest:
    """Return the request with a phase: the caller's, else the one that query, intent and ``turns`` tell."""
    if request.phase:
        return request
    before = without_echo(turns, request.query)
    phase = detect_phase(
        request.query,
        intent=request.intent if request.intent in INTENTS else detect_intent(request.query),
        turns=sum(1 for turn in before if turn.role == "user"),
        tool_open=tool_open(before),
    )
    return replace(request, phase=phase)


def tool_open(turns: Sequence[WindowTurn]) -> bool:
    """Return whether a tool that the assistant called last has not answered yet."""
    since: list[WindowTurn] = []
    for turn in reversed(turns):
        if turn.role == "assistant":
            answered = {one.tool_call_id for one in since if one.role == "tool"}
            return any(call.get("id") not in answered for call in turn.tool_calls or ())
        since.append(turn)
    return False
