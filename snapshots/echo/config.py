"""Numbers of echo detection, each with its source."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, measured


@dataclass(frozen=True, slots=True)
class EchoConfig:
    """When words of a message count as an echo. Lengths are characters."""

    # A repeated sentence must hold this share of the words of a memory, or of one part of it.
    held_share: float = measured(
        0.5, source="tests/golden/echoes.jsonl: up to 0.5 all 123 are read rightly, 2 not at 0.6, 6 not at 1"
    )
    # Share of a sentence's pairs of Chinese characters that the memory may lack: the word order may differ.
    strange_pairs: float = measured(
        0.5, source="tests/golden/echoes.jsonl: from 0.3 on all 123 are read rightly, 1 not at 0.2, 6 not at 0"
    )
    sentence_chars: int = assumed(600, owner="echo", settle_by="longest sentence of real answers")
    message_chars: int = assumed(20_000, owner="echo", settle_by="lengths of real answers")
    memory_chars: int = assumed(2_000, owner="echo", settle_by="lengths of injected memories")
    # How many memories are loaded at once, the latest shown first.
    memories: int = assumed(500, owner="echo", settle_by="memories that a conversation's prompts held")
    receipts: int = assumed(30, owner="echo", settle_by="how far back what is said again was shown")
    receipts_of_conversation: int = assumed(200, owner="echo", settle_by="prompts of real conversations")
    prompts: int = assumed(3, owner="echo", settle_by="which prompts products send back as messages")
    within: timedelta = assumed(
        timedelta(days=7), owner="echo", settle_by="time between a prompt and what comes back of it"
    )


ECHO = EchoConfig()
