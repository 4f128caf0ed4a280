"""Count the outcome of a model's proposals as a metric: nothing else is kept of refused notes, fields and endings."""

from typing import Literal

from memory_platform.observability.metrics import MODEL_PROPOSALS
from snapshots.understanding.proposing.answer_schema import Proposals
from snapshots.understanding.values import RejectionReason

Kind = Literal["note", "slot", "field", "ending"]
# ``known``: the patterns or classifiers found it, too. ``vital_unsupported``: the note is kept, but not as vital.
Outcome = Literal[
    "accepted",
    "known",
    "unknown_message",
    "unknown_name",
    "evidence_missing",
    "not_own_words",
    "instruction",
    "torn",
    "too_long",
    "not_asserted",
    "one_off",
    "unlikely",
    "about_unknown",
    "not_the_subject",
    "schema",
    "unsupported",
    "vital_unsupported",
]
_KINDS: dict[str, Kind] = {"notes": "note", "slots": "slot", "fields": "field", "ended": "ending"}


def count_proposal(kind: Kind, outcome: Outcome | RejectionReason) -> None:
    MODEL_PROPOSALS.labels(kind=kind, outcome=outcome).inc()


def count_unknown_messages(answer: Proposals, messages: int) -> None:
    for name, kind in _KINDS.items():
        for one in getattr(answer, name):
            if not 1 <= one.message <= messages:
                count_proposal(kind, "unknown_message")
