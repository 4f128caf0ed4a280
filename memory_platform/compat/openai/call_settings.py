"""The settings of memory in a call: whose it is, which conversation, whether and how much."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from memory_platform.api.v1.recall.context_serializers import TOKENS_MOST
from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.kernel.product_ids import find_product_id_fault

SUBJECT, CONVERSATION, MEMORY, TOKENS = "X-Subject-Id", "X-Conversation-Id", "X-Memory", "X-Memory-Tokens"
# Sent by OpenAI's SDKs: how often this request has been sent before.
RETRIES = "X-Stainless-Retry-Count"
# Fields of the body that name a user, the most exact first.
USER_FIELDS = ("user", "safety_identifier")
SUBJECT_MISSING = (
    f"Whose memory is it? Set the header {SUBJECT} to your id of the user, or the field `user` (or "
    f"`safety_identifier`) of the body. To call the model without memory, set the header {MEMORY}: off."
)


@dataclass(frozen=True, slots=True)
class CallSettings:
    """``subject_id`` is "" for a call without memory. ``conversation_id`` None: it is derived from the messages.
    ``memory_tokens`` None: as the tenant's policy says. ``retried``: the client says that it sends this again."""

    subject_id: str = ""
    conversation_id: str | None = None
    memory_tokens: int | None = None
    retried: bool = False

    @property
    def has_memory(self) -> bool:
        return bool(self.subject_id)


def parse_call_settings(headers: Mapping[str, str], body: Mapping[str, Any]) -> CallSettings:
    """Return the settings of a call. Raises InvalidInput."""
    if is_memory_off(headers.get(MEMORY)):
        return CallSettings()
    return CallSettings(
        parse_subject(headers, body),
        parse_id(CONVERSATION, headers[CONVERSATION]) if CONVERSATION in headers else None,
        parse_tokens(headers[TOKENS]) if TOKENS in headers else None,
        retried=headers.get(RETRIES, "0").strip() not in {"", "0"},
    )


def is_memory_off(header: str | None) -> bool:
    """Return whether a call is without memory. Raises InvalidInput for anything but ``on`` and ``off``."""
    said = "on" if header is None else header.strip().lower()
    if said not in {"on", "off"}:
        raise InvalidInput(faults=[FieldFault(MEMORY, "unknown", "Must be on or off.")])
    return said == "off"


def parse_subject(headers: Mapping[str, str], body: Mapping[str, Any]) -> str:
    if SUBJECT in headers:
        return parse_id(SUBJECT, headers[SUBJECT])
    for name in USER_FIELDS:
        given = body.get(name)
        if given is not None and given != "":
            if not isinstance(given, str):
                raise InvalidInput(faults=[FieldFault(name, "not_a_string", "Must be a string: your id of the user.")])
            return require_product_id(name, given)
    raise InvalidInput(SUBJECT_MISSING, faults=[FieldFault(SUBJECT, "required", SUBJECT_MISSING)])


def parse_id(name: str, header: str) -> str:
    """Return an id of a header, percent-encoded where it is not ASCII, as in paths. Raises InvalidInput."""
    try:
        # Servers hand headers over as Latin-1, whatever the bytes mean.
        return require_product_id(name, unquote(header.encode("latin-1").decode().strip(), errors="strict"))
    except UnicodeError:
        message = "Must be UTF-8, percent-encoded as in paths."
        raise InvalidInput(faults=[FieldFault(name, "malformed", message)]) from None


def require_product_id(name: str, value: str) -> str:
    fault = find_product_id_fault(value)
    if fault is not None:
        raise InvalidInput(faults=[FieldFault(name, *fault)])
    return value


def parse_tokens(header: str) -> int:
    text = header.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(TOKENS_MOST))):
        text = "0"
    if not 1 <= int(text) <= TOKENS_MOST:
        message = f"Must be a whole number of tokens from 1 to {TOKENS_MOST:,}."
        raise InvalidInput(faults=[FieldFault(TOKENS, "out_of_range", message)])
    return int(text)
