"""What a stored text looks like before it enters a prompt: worked out once for a text, and kept without it."""

from memory_platform.kernel.text_cache import ByText
from snapshots.context.policy import DEFAULT_CONTEXT
from snapshots.context.values import Looks
from snapshots.context.writing.fence import escaped, guardrail_of
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.reading.instructions import is_instruction


def looks_of(text: str) -> Looks:
    """Return what ``text`` looks like. Whoever stored it: the product passes on what its users said."""
    return Looks(
        plain=escaped(text) == text, instructs=is_instruction(matching_form(text)), guardrail=guardrail_of(text)
    )


LOOKS = ByText(looks_of, DEFAULT_CONTEXT.texts_remembered)
