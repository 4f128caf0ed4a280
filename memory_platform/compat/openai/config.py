"""Limits of the proxy. Those that an operator may set stand in the environment."""

from dataclasses import dataclass

from memory_platform.api.config import KIB, MIB
from memory_platform.kernel.number_sources import promised


@dataclass(frozen=True, slots=True)
class ProxyConfig:
    """Times in seconds, sizes in bytes unless the name says otherwise."""

    connect_s: float = promised(5.0)
    total_s: float = promised(1_800.0)
    # After it the call goes on without memory.
    memory_s: float = promised(2.0)
    retry_after_s: int = promised(1)
    body_bytes: int = promised(16 * MIB)
    # Of an answer that is not streamed, which is read whole.
    answer_bytes: int = promised(32 * MIB)
    # Of one event of a stream; a longer one is passed on unread.
    event_bytes: int = promised(4 * MIB)
    # Of a reply that is kept.
    reply_bytes: int = promised(64 * KIB)
    # The end of a longer message of the user is the question.
    question_chars: int = promised(8_000)
    # Of one turn: the user's message, calls of tools and their results.
    messages: int = promised(100)
    kept_connections: int = promised(20)
    kept_s: float = promised(60.0)


PROXY = ProxyConfig()
