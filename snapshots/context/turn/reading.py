"""Read from a request what its caller does not say: intent, phase, a correction."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory_platform.kernel.linear_model import Float32
from snapshots.context.choosing.shelves import without_echo
from snapshots.context.turn.intent import detect_intent, detect_phase
from snapshots.context.turn.intent_reader import INTENTS
from snapshots.context.values import ContextRequest, WindowTurn
from snapshots.feedback.reading.signals import sense_of
from snapshots.feedback.values import Sense, Turn
from snapshots.understanding.correcting.corrections import may_correct


def with_intent(request: ContextRequest, vectors: Mapping[str, Float32]) -> ContextRequest:
    """Return the request with an intent: the caller's, else that of its query."""
    if request.intent:
        return request
    return replace(request, intent=detect_intent(request.query, vectors), intent_read=True)


def with_phase(request: ContextRequest, turns: Sequence[WindowTurn], vectors: Mapping[str, Float32]) -> ContextRequest:
    """Return the request with a phase: the caller's, else that of its query after ``turns``."""
    if request.phase:
        return request
    before = without_echo(turns, request.query)
    phase = detect_phase(
        request.query,
        intent=request.intent if request.intent in INTENTS else detect_intent(request.query, vectors),
        turns=sum(1 for turn in before if turn.role == "user"),
        tool_open=tool_open(before),
        vectors=vectors,
    )
    return replace(request, phase=phase)


def puts_right(query: str, turns: Sequence[WindowTurn]) -> bool:
    """Return whether ``query`` corrects what the assistant said last, by rules."""
    if not may_correct(query):
        return False
    before = without_echo(turns, query)
    reply = next((turn.content for turn in reversed(before) if turn.role == "assistant" and turn.content), None)
    asked = next((turn.content for turn in reversed(before) if turn.role == "user" and turn.content), "")
    return reply is not None and sense_of(Turn(asked, reply, query)) is Sense.CORRECT


def tool_open(turns: Sequence[WindowTurn]) -> bool:
    """Return whether a tool that the assistant called last has not answered yet."""
    since: list[WindowTurn] = []
    for turn in reversed(turns):
        if turn.role == "assistant":
            answered = {one.tool_call_id for one in since if one.role == "tool"}
            return any(call.get("id") not in answered for call in turn.tool_calls or ())
        since.append(turn)
    return False
