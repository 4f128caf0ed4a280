"""The two forms of OpenAI's API, with all that the proxy must know of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memory_platform.compat.openai.forms import chat_form, responses_form
from memory_platform.compat.openai.forms.spoken_items import ModelReply, SpokenItem


class StreamListener(Protocol):
    """Puts the reply together from the events of a stream."""

    def hear(self, event: Mapping[str, Any]) -> None: ...

    @property
    def reply(self) -> ModelReply | None:
        """The reply once it is complete; None before, and for one that is too long to keep."""
        ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """``path``: where the endpoint answers. ``list_items``: the turns in a body, without instructions; none of a
    malformed one. ``put_memory_in``: a body with a text added to its instructions. ``read_answer``: the reply in an
    answer that is not streamed."""

    path: str
    list_items: Callable[[Mapping[str, Any]], Sequence[SpokenItem]]
    put_memory_in: Callable[[Mapping[str, Any], str], dict[str, Any]]
    read_answer: Callable[[Any], ModelReply | None]
    listen: Callable[[], StreamListener]


CHAT = Dialect(
    "/chat/completions",
    chat_form.list_items,
    chat_form.put_memory_in,
    chat_form.read_answer,
    chat_form.ChatListener,
)
RESPONSES = Dialect(
    "/responses",
    responses_form.list_items,
    responses_form.put_memory_in,
    responses_form.read_answer,
    responses_form.ResponsesListener,
)
