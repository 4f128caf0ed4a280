"""LangGraph's checkpoints and store, kept on the platform. Needs ``memory-platform-client[langgraph]``.

from memory_platform_client.langgraph import MemoryPlatformSaver, MemoryPlatformStore

saver = MemoryPlatformSaver("http://127.0.0.1:8000", api_key)
store = MemoryPlatformStore("http://127.0.0.1:8000", api_key, index={"fields": ["text"]})
graph = builder.compile(checkpointer=saver, store=store)
"""

from memory_platform_client.langgraph.saver import MemoryPlatformSaver
from memory_platform_client.langgraph.store import MemoryPlatformStore, StoreIndex

__all__ = ["MemoryPlatformSaver", "MemoryPlatformStore", "StoreIndex"]
