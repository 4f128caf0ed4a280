"""Messages as they come in, and the results of accepting them."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import orjson

from snapshots.fast_lane_result import FastLaneResult
from snapshots.models import Conversation
from snapshots.window.values import Window

BLANK_RUN = 100
_LONG_BLANKS = re.compile(rf"(\s{{{BLANK_RUN}}})\s+")
MessageVerdict = Literal["stored", "duplicate", "rejected"]
CONTENT_DIFFERS = "content_differs"
SPECIAL_CATEGORY = "special_category"


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """One message as the product posts it, validated by the caller.

    ``content`` is text, or a list of ``{"type": "text", "text": ...}`` parts, or None beside tool calls. Without a
    ``message_id`` one is made. ``said_at`` carries the speaker's offset from UTC; without it the time of acceptance
    counts.
    """

    role: str
    content: str | Sequence[Mapping[str, Any]] | None = None
    message_id: str | None = None
    name: str | None = None
    tool_calls: Sequence[Mapping[str, Any]] | None = None
    tool_call_id: str | None = None
    said_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    remember: bool = True

    @property
    def text(self) -> str:
        """The content as one text. Parts stand on lines of their own, so that their words do not run together.

        A run of blanks has at most ``BLANK_RUN``: thousands of them say nothing, and cost readers minutes.
        """
        if isinstance(self.content, str) or self.content is None:
            said = self.content or ""
        else:
            said = "\n".join(str(part["text"]) for part in self.content)
        return _LONG_BLANKS.sub(r"\1", said)

    @property
    def parts(self) -> list[Mapping[str, Any]] | None:
        return None if isinstance(self.content, str) or self.content is None else list(self.content)

    def fingerprint(self) -> bytes:
        """Return a 32-byte hash of the words and the speaker; a retry may differ in ``said_at`` and metadata."""
        said = [self.role, self.name, self.text, self.tool_calls or None, self.tool_call_id]
        return hashlib.sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).digest()


@dataclass(frozen=True, slots=True)
class MessageResult:
    """The result for one message, in the order of the request. A duplicate has the ``seq`` of the first message. A
    message that is not stored has no ``seq``."""

    message_id: str
    seq: int | None
    verdict: MessageVerdict
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AcceptedBatch:
    """The results of one batch; final once the transaction has committed."""

    conversation: Conversation
    messages: tuple[MessageResult, ...]
    window: Window
    fast_lane: tuple[FastLaneResult, ...] = ()
