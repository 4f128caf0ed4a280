"""Why an answer holds no memory, as recall and context tell it."""

from rest_framework import serializers

from memory_platform.api.requests.serializers import Output
from snapshots.context.choosing.threshold import Abstained
from snapshots.recall.answer import Recalled


class AbstainedOutput(Output):
    """Why an answer holds no memory."""

    reason = serializers.ChoiceField(choices=[str(reason) for reason in Abstained])


def shown_abstained(found: Recalled) -> dict[str, str] | None:
    """Return why an answer holds no snapshot, note or reply; None where it holds one."""
    if found.memories or found.notes or found.replies:
        return None
    return {"reason": Abstained.UNKNOWN_SUBJECT if found.subject_id is None else Abstained.NOTHING_RELEVANT}
