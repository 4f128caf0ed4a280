"""The conversations of a subject."""

from __future__ import annotations

from memory_platform_client.answers.conversations import Conversation, End, Message, Restored, Window
from memory_platform_client.call_declarations import Scope, Way, call, listing
from memory_platform_client.decoding import Page

CONVERSATIONS = "/v1/subjects/{subject_id}/conversations"
CONVERSATION = f"{CONVERSATIONS}/{{conversation_id}}"


class Conversations(Scope[Way]):
    """The conversations of a subject; ``Subject.add`` stores their messages."""

    @listing(CONVERSATIONS)
    def list(self, *, limit: int | None = None) -> Page[Conversation]:
        """List the conversations, oldest first."""

    @call("GET", CONVERSATION)
    def get(self, conversation_id: str) -> Conversation:
        """Get a conversation."""

    @call("PATCH", CONVERSATION)
    def update(
        self, conversation_id: str, *, remember: bool | None = None, if_match: str | None = None
    ) -> Conversation:
        """Say whether anything is learned from a conversation."""

    @call("DELETE", CONVERSATION)
    def delete(self, conversation_id: str, *, if_match: str | None = None) -> None:
        """Delete a conversation, its messages, and all that was learned from it alone."""

    @call("POST", f"{CONVERSATION}/end")
    def end(self, conversation_id: str) -> End:
        """End a conversation; its job sums it up."""

    @call("POST", f"{CONVERSATION}/restore")
    def restore(self, conversation_id: str) -> Restored:
        """Restore the messages of an archived conversation, for as long as if they were new."""

    @listing(f"{CONVERSATION}/messages")
    def messages(self, conversation_id: str, *, limit: int | None = None) -> Page[Message]:
        """List the messages in the order in which they were stored."""

    @call("GET", f"{CONVERSATION}/window")
    def window(self, conversation_id: str) -> Window:
        """Get the recent messages and the summary of what was before."""
