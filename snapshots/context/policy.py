"""The numbers of context assembly, each with where it comes from. A tenant may override any of them."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, promised


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """Slots in tokens by section, confidence bounds of the guide, and what the framing of a message costs."""

    total: int = promised(6000, row="X1")
    system: int = promised(500, row="X1")
    profile: int = promised(300, row="X1")
    """Fixed: never grows by what others leave, never differs by intent, so that the prefix stays the same (X9)."""
    memory: int = promised(2000, row="X1")
    memory_by_intent: tuple[tuple[str, int], ...] = promised(
        (
            ("small_talk", 500),
            ("recommendation", 3000),
            ("complaint", 2000),
            ("knowledge", 1000),
            ("preference_confirmation", 4000),
        ),
        row="X2",
    )
    window: int = promised(3000, row="X1")
    query: int = promised(100, row="X1")
    summary: int = assumed(500, owner="context", settle_by="running summaries of long conversations")
    task: int = assumed(500, owner="context", settle_by="working memory of real tasks")
    knowledge: int = promised(1000, row="X2")
    """What a knowledge question leaves of the memory slot: 2,000 less 1,000."""
    message_overhead: int = assumed(4, owner="context", settle_by="usage reported by chat models")
    """Role and delimiters of one message; OpenAI's published recipe counted 3 to 4."""
    candidates: int = assumed(100, owner="context", settle_by="share of contexts that keep their last candidate")
    """Snapshots asked of recall: about 5,000 tokens of elements, more than an elastic memory section can hold."""
    state_from: float = promised(0.8, row="X5")
    tentative_from: float = promised(0.5, row="X5")

    def memory_slot_of(self, intent: str | None) -> int | None:
        """Return the memory slot that ``intent`` asks for, in tokens; None when it asks for none."""
        return dict(self.memory_by_intent).get(intent or "")


DEFAULT_CONTEXT = ContextPolicy()
