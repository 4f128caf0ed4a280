"""Parts that recall, contexts and receipts have in common."""

from collections.abc import Iterable
from typing import Any, Protocol

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_platform.api.requests.serializers import Output
from snapshots.context.choosing.relevance_threshold import AbstainReason
from snapshots.context.turn.turn_classifiers import INTENTS, PHASES
from snapshots.recall.values import DegradedReason

INTENT_HELP = "What the user wants."
PHASE_HELP = "Where the conversation stands."
POLICY_VERSION_HELP = "Number of the policy version that was in force."
STRICT_HELP = "Leaves out memories that the question neither names nor very probably needs."
MIN_RELEVANCE_HELP = "Leaves out memories with a smaller relevance."
RELEVANCE_HELP = (
    "How probably the memory helps to answer, 0 to 1. Comparable between memories and between calls. Of a passage of a "
    "document: how well it fits the question; no probability, and comparable with that of other passages alone."
)
# Declared, and not given by any answer yet.
RESERVED = (DegradedReason.REPLICA_LAG, DegradedReason.ANN_TRUNCATED)
GIVEN = [reason for reason in DegradedReason if reason not in RESERVED]
_ONE_REASON = f"({'|'.join(DegradedReason)})"


class TakesPart(Protocol):
    """Something with the names of an experiment and of an arm; empty outside experiments."""

    @property
    def experiment(self) -> str: ...

    @property
    def arm(self) -> str: ...


class ExperimentOutput(Output):
    """The experiment that the subject takes part in."""

    name = serializers.CharField(source="experiment", help_text="Name of the experiment.")
    arm = serializers.CharField(help_text="Name of the subject's arm.")


class AbstainedOutput(Output):
    """The reason why an answer has no memory."""

    reason = serializers.ChoiceField(
        choices=list(AbstainReason),
        help_text="`unknown_subject` (the platform has never seen the subject), `nothing_remembered` (it has no memory "
        "of it), `nothing_relevant` (no memory helps), `nothing_more` (what helps is in the context already, has no "
        "room or is not allowed).",
    )


@extend_schema_field({"type": "string", "pattern": f"^{_ONE_REASON}(,{_ONE_REASON})*$"})
class DegradedReasonField(serializers.CharField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            allow_null=True,
            help_text="What the answer had to do without, separated by commas, the most serious first; null if nothing "
            f"was missing. One or more of {_codes(GIVEN)}. Reserved for later: {_codes(RESERVED)}.",
            **kwargs,
        )


def _codes(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def make_intent_output(**kwargs: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=INTENTS, help_text=INTENT_HELP, **kwargs)


def make_phase_output(**kwargs: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=PHASES, help_text=PHASE_HELP, **kwargs)


def render_experiment(source: TakesPart) -> dict[str, Any] | None:
    """Return the experiment and the arm of ``source``; None outside experiments."""
    return ExperimentOutput.render(source) if source.experiment else None
