"""The two forms of OpenAI's API, with all that the proxy must know of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memory_platform.compat.openai.forms import chat_completions, responses_api
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
    malformed one. ``insert_memory``: a body with a text added to its instructions. ``read_answer``: the reply in an
    answer that is not streamed."""

    path: str
    list_items: Callable[[Mapping[str, Any]], Sequence[SpokenItem]]
    insert_memory: Callable[[Mapping[str, Any], str], dict[str, Any]]
    read_answer: Callable[[Any], ModelReply | None]
    listen: Callable[[], StreamListener]


CHAT = Dialect(
    "/chat/completions",
    chat_completions.list_items,
    chat_completions.insert_memory,
    chat_completions.read_answer,
    chat_completions.ChatListener,
)
RESPONSES = Dialect(
    "/responses",
    responses_api.list_items,
    responses_api.insert_memory,
    responses_api.read_answer,
    responses_api.ResponsesListener,
)
