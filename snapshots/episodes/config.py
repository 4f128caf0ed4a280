"""Tunable numbers of tasks and episodes."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class TaskConfig:
    """Limits of one task, and its share of a context."""

    steps: int = assumed(200, owner="episodes", settle_by="the longest plan of a real agent")
    shown: int = assumed(5, owner="episodes", settle_by="how many tasks of one subject are worked at at once")
    scratchpad_chars: int = assumed(1_000, owner="episodes", settle_by="tokens that a scratchpad is worth in a prompt")


@dataclass(frozen=True, slots=True)
class EpisodeConfig:
    """Importance 0..1: ``(least, most)`` by outcome; feedback of the user outranks both."""

    success: tuple[float, float] = promised((0.7, 0.9))
    failure: tuple[float, float] = promised((0.8, 1.0))
    feedback: tuple[float, float] = promised((0.9, 1.0))
    partial: tuple[float, float] = assumed((0.7, 0.95), owner="episodes", settle_by="use of partial episodes in recall")
    # Lessons, decisions and failed steps that give an episode the highest importance.
    taught_all: int = assumed(4, owner="episodes", settle_by="lessons of episodes that recall finds useful")
    part_chars: int = assumed(1_000, owner="episodes", settle_by="recall of long episodes by what stands at their end")


TASKS = TaskConfig()
EPISODES = EpisodeConfig()
