"""The state of a graph that is stored and read: 20 messages of 200 characters; one channel of three changes."""

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6

from memory_platform_client.langgraph import MemoryPlatformSaver

MESSAGES, CHARACTERS = 20, 200
CHANGED = "messages"
STEADY = {"topic": "tea", "summary": CHARACTERS * "s"}


def make_place(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}


class GraphRun:
    """One thread of a graph: each step is a new checkpoint behind the last one."""

    def __init__(self, saver: MemoryPlatformSaver, thread_id: str) -> None:
        self.config, self._saver, self._step = make_place(thread_id), saver, 0
        self._versions: dict[str, Any] = {}

    def make_step(self) -> tuple[RunnableConfig, Checkpoint, Any, dict[str, Any]]:
        """Return what ``put`` takes of the next checkpoint. The first one stores all channels."""
        changed = [CHANGED] if self._versions else [CHANGED, *STEADY]
        version = self._saver.get_next_version(self._versions.get(CHANGED), None)
        new = dict.fromkeys(changed, version)
        self._versions |= new
        said = [f"{self._step} {number} ".ljust(CHARACTERS, "m") for number in range(MESSAGES)]
        checkpoint = empty_checkpoint()
        checkpoint["id"] = str(uuid6(clock_seq=self._step))
        checkpoint["channel_values"] = {CHANGED: said, **STEADY}
        checkpoint["channel_versions"] = dict(self._versions)
        metadata = {"source": "loop", "step": self._step, "parents": {}}
        self._step += 1
        return self.config, checkpoint, metadata, new

    def measure_bytes(self) -> int:
        """Return how many bytes the next checkpoint stores."""
        _, checkpoint, metadata, new = self.make_step()
        rest = {name: value for name, value in checkpoint.items() if name != "channel_values"}
        stored = [rest, metadata, *(checkpoint["channel_values"][channel] for channel in new)]
        return sum(len(self._saver.serde.dumps_typed(one)[1]) for one in stored)

    def put(self) -> None:
        """Store the next checkpoint."""
        self.config = self._saver.put(*self.make_step())
