"""A context is readable as one text in every format."""

from __future__ import annotations

from typing import Any

from memory_platform_client.decoding import Answer


class WholeText(Answer):
    """Fills ``text``, which the server sends with the format ``text`` alone, from the messages."""

    @classmethod
    def complete_fields(cls, values: dict[str, Any]) -> None:
        """Join what the messages say."""
        if values["text"] is None:
            said = (getattr(message, "content", None) for message in values["messages"] or ())
            values["text"] = "\n\n".join(content for content in said if content)
