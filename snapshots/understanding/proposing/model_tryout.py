"""Sample messages in both languages for trying a chat model and the gate."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from memory_platform.providers.contracts import JsonForm, JsonForms, Usage
from snapshots.understanding.drafting.clause_joining import assemble_parts
from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.proposing.answer_schema import Proposals, build_schema
from snapshots.understanding.proposing.model_questions import ModelQuestion, ShownMessage, build_prompt
from snapshots.understanding.proposing.model_quotes import GatedMessage
from snapshots.understanding.proposing.note_gate import gate_notes
from snapshots.understanding.proposing.slot_gate import gate_slots
from snapshots.understanding.reading.clauses import split_clauses

# Six hold something that lasts, two hold nothing.
SAMPLE = (
    "I've called Porto home since spring. Any good bakery there?",
    "Tuesdays are choir, has been that way for ages.",
    "My son Theo comes out in hives from latex.",
    "Turn the volume down a bit please, and what's the weather tomorrow?",
    "我在杭州一家医院做护士,今天好累。",
    "我女儿小雨对芒果过敏,买零食注意点。",
    "以后导航别走高架。",
    "放点轻音乐,再帮我查一下明天的天气?",
)


def propose_for_samples(model: JsonForms, texts: Sequence[str], form: JsonForm) -> tuple[Proposals, Usage]:
    """Return a model's proposals for sample messages in one form of JSON, and the usage. Nothing is repaired. Raises
    ChatUnavailable."""
    question = ModelQuestion(tuple(ShownMessage(UUID(int=number), text) for number, text in enumerate(texts, start=1)))
    answered = model.ask_structured_as(build_prompt(question), build_schema(len(texts)), form)
    return Proposals.from_answer(answered.value), answered.usage


def count_gate_outcomes(texts: Sequence[str], proposals: Proposals) -> Counter[str]:
    """Return the outcomes of proposed notes and slots. Raises EmbeddingUnavailable."""
    outcomes: Counter[str] = Counter()
    spoken = [SpokenMessage(text, tuple(split_clauses(text))) for text in texts]
    for number, (one, grades) in enumerate(zip(spoken, grade_messages(spoken), strict=True), start=1):
        said, own = GatedMessage(one.text, one, grades), proposals.for_message(number)
        held = [(part.start, part.end) for part in assemble_parts(one, grades)]
        outcomes.update(judged.outcome for judged in gate_notes(said, own.notes, held))
        slots = gate_slots(said, own.slots, message_key="", origin="")
        outcomes.update(judged.reason or "accepted" for judged in slots)
    return outcomes
