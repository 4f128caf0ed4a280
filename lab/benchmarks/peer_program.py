"""Other memory stores behind one protocol: each holds the same texts in vectors of the same model and searches them.

Runs in any interpreter that has the packages of the group ``bench``, without Django. The first order names a store and
the texts to hold; the others ask.
"""

import importlib.metadata
import importlib.util
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from lab.benchmarks.load.protocol import JsonObject, Stages, repeat_requests, serve_orders

DIMENSIONS = 256
OWNER = "ada"
SearchFunction = Callable[[str, int], Sequence[Any]]
Embed = Callable[[Sequence[str]], list[list[float]]]


class Store:
    def __init__(self, search: SearchFunction, version: str, notes: str) -> None:
        self.search, self.version, self.notes = search, version, notes


def open_mem0(order: JsonObject, embed: Embed, vectors: dict[str, Any]) -> Store:
    """Open mem0's ``Memory`` and add the texts as they are, without a chat model (``infer=False``)."""
    from mem0 import Memory  # noqa: PLC0415
    from mem0.embeddings.base import EmbeddingBase  # noqa: PLC0415

    class OurEmbedding(EmbeddingBase):  # type: ignore[misc]  # mem0 has no types
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return embed([text])[0]

        def embed_batch(self, texts: Sequence[str], memory_action: str | None = "add") -> list[list[float]]:
            return embed(texts)

    memory = Memory.from_config(
        {
            "vector_store": vectors,
            "embedder": {"provider": "openai", "config": {"api_key": "unused"}},
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
            "history_db_path": str(Path(order["folder"]) / "history.db"),
        }
    )
    memory.embedding_model = OurEmbedding()
    for text in order["texts"]:
        memory.add(text, user_id=OWNER, infer=False)

    def search(question: str, top_k: int) -> Sequence[Any]:
        found: Sequence[Any] = memory.search(question, top_k=top_k, filters={"user_id": OWNER}, threshold=0.0)[
            "results"
        ]
        return found

    notes = "" if importlib.util.find_spec("spacy") else "without spaCy: no lemmas, no entities"
    return Store(search, f"mem0ai {importlib.metadata.version('mem0ai')}", notes)


def open_mem0_pgvector(order: JsonObject, embed: Embed) -> Store:
    """mem0 with its pgvector store (HNSW, its default)."""
    place = {"connection_string": order["address"], "embedding_model_dims": DIMENSIONS, "collection_name": "mem0"}
    return open_mem0(order, embed, {"provider": "pgvector", "config": place})


def open_mem0_qdrant(order: JsonObject, embed: Embed) -> Store:
    """mem0 with qdrant's local mode: in this process, in files."""
    place = {
        "path": str(Path(order["folder"]) / "qdrant"),
        "embedding_model_dims": DIMENSIONS,
        "collection_name": "mem0",
        "on_disk": True,
    }
    return open_mem0(order, embed, {"provider": "qdrant", "config": place})


def open_langgraph(order: JsonObject, embed: Embed) -> Store:
    """LangGraph's ``PostgresStore`` with its default index (HNSW, cosine)."""
    from langgraph.store.postgres import PostgresStore  # noqa: PLC0415

    opened = PostgresStore.from_conn_string(
        order["address"], index={"dims": DIMENSIONS, "embed": embed, "fields": ["text"]}
    )
    store = opened.__enter__()
    store.setup()
    for number, text in enumerate(order["texts"]):
        store.put((OWNER, "memories"), str(number), {"text": text})

    def search(question: str, top_k: int) -> Sequence[Any]:
        found: Sequence[Any] = store.search((OWNER, "memories"), query=question, limit=top_k)
        return found

    search.opened = opened  # type: ignore[attr-defined]  # closing it would close the connection
    version = importlib.metadata.version("langgraph-checkpoint-postgres")
    return Store(search, f"langgraph-checkpoint-postgres {version}", "")


STORES = {
    "mem0 on pgvector": open_mem0_pgvector,
    "mem0 on qdrant (local)": open_mem0_qdrant,
    "LangGraph PostgresStore": open_langgraph,
}


def load_wordllama_embedding() -> Embed:
    """Return the embedding that the platform uses for English: 256 dimensions, unit length."""
    import wordllama  # noqa: PLC0415

    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, dim=DIMENSIONS, disable_download=True)
    logging.getLogger().setLevel(logging.ERROR)  # importing it logs everything, which would slow the stores down
    return lambda texts: [list(map(float, row)) for row in model.embed(list(texts), norm=True)]


class Peer:
    """Obeys orders about one store."""

    def __init__(self) -> None:
        self._store: Store | None = None

    def execute_order(self, order: JsonObject) -> JsonObject:
        """Open a store (``kind`` ``open``), or ask it (``ask``)."""
        if order["kind"] == "open":
            return self._open(order)
        questions, top_k = order["questions"], order["top_k"]

        def ask(number: int) -> tuple[float, Stages]:
            assert self._store is not None  # noqa: S101 - opened by the first order
            began = perf_counter()
            found = self._store.search(questions[number], top_k)
            spent = perf_counter() - began
            return spent, {"found": len(found)}

        return repeat_requests(ask, len(questions), order["seconds"])

    def _open(self, order: JsonObject) -> JsonObject:
        try:
            self._store = STORES[order["store"]](order, load_wordllama_embedding())
        except Exception as failed:  # noqa: BLE001 - whatever another program's package raises is its answer
            return {"refused": f"{type(failed).__name__}: {failed}"[:300]}
        return {"version": self._store.version, "notes": self._store.notes}


if __name__ == "__main__":
    serve_orders(Peer().execute_order)
