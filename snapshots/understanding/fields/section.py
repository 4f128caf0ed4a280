"""The policy section ``fields``: the attributes that a tenant asks for."""

from dataclasses import dataclass

from memory_platform.kernel.policy import promised
from profiles.models.profile import PROFILE_FIELDS
from snapshots.sensitive.detector import is_sensitive, is_sensitive_as
from snapshots.understanding.reading.instructions import is_instruction
from tenants.policies.descriptions import Descriptions, FieldDescription
from tenants.policies.sections import Section

# Looks like a secret under a name that says so ("wifi_password"), and like nothing under any other.
_ANY_SECRET = "x7k2mq9"  # noqa: S105 - an example of one


@dataclass(frozen=True, slots=True)
class FieldsPolicy:
    attributes: tuple[FieldDescription, ...] = promised((), row="P11")


def refusal(name: str, text: str) -> str:
    """Return why a text may not describe the field ``name``, "" where it may; without a text, why the name is refused.

    Sensitive data cannot be asked for, and a description must not give orders.
    """
    if not text:
        if name in PROFILE_FIELDS:
            return f"The profile has this field already: {', '.join(PROFILE_FIELDS)}."
        return "Must not ask for sensitive data." if is_sensitive_as(name, _ANY_SECRET) else ""
    if is_sensitive(text) or is_sensitive_as(name, text):
        return "Must not hold sensitive data."
    return "Must not give orders to a model." if is_instruction(text) else ""


ATTRIBUTES = Descriptions(20, 10, 300, 6, 200, refusal)
FIELDS_SECTION = Section("fields", FieldsPolicy(), {"attributes": ATTRIBUTES})
