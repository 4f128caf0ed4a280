"""Infer the fields that a request omits: intent, phase, correction."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory_platform.kernel.linear_model import Float32
from snapshots.context.choosing.section_candidates import drop_echoed_turn
from snapshots.context.turn.intent import detect_intent, detect_phase
from snapshots.context.turn.turn_classifiers import INTENTS
from snapshots.context.values import ContextRequest, ContextTurn
from snapshots.feedback.reading.sense_rules import classify_turn_by_rules
from snapshots.feedback.values import AnsweredTurn, TurnSense
from snapshots.understanding.correcting.value_correction_detection import may_correct


def fill_intent(request: ContextRequest, vectors: Mapping[str, Float32]) -> ContextRequest:
    if request.intent:
        return request
    return replace(request, intent=detect_intent(request.query, vectors), intent_read=True)


def fill_phase(request: ContextRequest, turns: Sequence[ContextTurn], vectors: Mapping[str, Float32]) -> ContextRequest:
    if request.phase:
        return request
    before = drop_echoed_turn(turns, request.query)
    phase = detect_phase(
        request.query,
        intent=request.intent if request.intent in INTENTS else detect_intent(request.query, vectors),
        turns=sum(1 for turn in before if turn.role == "user"),
        tool_open=is_tool_open(before),
        vectors=vectors,
    )
    return replace(request, phase=phase)


def corrects_last_reply(query: str, turns: Sequence[ContextTurn]) -> bool:
    if not may_correct(query):
        return False
    before = drop_echoed_turn(turns, query)
    reply = next((turn.content for turn in reversed(before) if turn.role == "assistant" and turn.content), None)
    asked = next((turn.content for turn in reversed(before) if turn.role == "user" and turn.content), "")
    return reply is not None and classify_turn_by_rules(AnsweredTurn(asked, reply, query)) is TurnSense.CORRECT


def is_tool_open(turns: Sequence[ContextTurn]) -> bool:
    since: list[ContextTurn] = []
    for turn in reversed(turns):
        if turn.role == "assistant":
            answered = {one.tool_call_id for one in since if one.role == "tool"}
            return any(call.get("id") not in answered for call in turn.tool_calls or ())
        since.append(turn)
    return False
