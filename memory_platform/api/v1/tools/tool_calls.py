"""A call of a tool, and its answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from profiles.provenance_and_verdict import Verdict

# Reasons: the fact was saved in this conversation and is still valid.
ALREADY_SAVED = "already_saved"
# The model said that it is for this time only.
ONE_OFF = "one_off"
# It gives orders to a model.
INSTRUCTION = "instruction"
# The subject wanted these words to be forgotten.
FORGOTTEN_BY_SUBJECT = "forgotten"
# Nothing is learned from this conversation.
NOT_REMEMBERED = "not_remembered"
# There was nothing to forget.
ABSENT = "absent"

# Verdicts beside those of a write.
ERASED = "forgotten"
RECALLED = "recalled"
VERDICTS = (*Verdict.values, ERASED, RECALLED)
REASONS = (ALREADY_SAVED, ONE_OFF, INSTRUCTION, FORGOTTEN_BY_SUBJECT, NOT_REMEMBERED, ABSENT)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call with checked arguments; ``conversation_id`` is empty when it was not given."""

    tool: str
    arguments: Mapping[str, Any]
    conversation_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The outcome of a call. ``result`` is the memory that is valid now, a certificate, or recalled memories."""

    tool: str
    verdict: str
    reason: str = ""
    result: Mapping[str, Any] | None = None
