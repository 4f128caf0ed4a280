"""Promises about configuration: one table, every fault at once, no schema change without a migration. Rows: D6."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from memory_platform.management.commands.env_table import env_table

ROOT = Path(__file__).resolve().parents[2]
REQUIRED = {
    "DATABASE_URL": "postgresql://app@/checks",
    "DATABASE_OWNER_URL": "postgresql://owner@/checks",
    "REDIS_URL": "unix:///nowhere",
    "CELERY_BROKER_URL": "unix:///nowhere",
    "SECRET_KEY": "x" * 32,
    "KEY_PEPPER": "x" * 32,
}


def started_with(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``manage.py check`` with exactly this environment and no stack file."""
    clean = {"PATH": os.environ["PATH"], "DATA_DIR": "/nonexistent", **environment}
    program = "from memory_platform import env; env.Environment.model_config['env_file'] = None; env.environment()"
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=clean, capture_output=True, text=True, check=False
    )


def test_start_up_reports_every_fault_at_once() -> None:
    refused = started_with(DATABASE_URL="mysql://x", SECRET_KEY="short", EMBEDDER="magic")
    assert refused.returncode == 1
    for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "SECRET_KEY", "KEY_PEPPER", "EMBEDDER"):
        assert name in refused.stderr
    assert "make run" in refused.stderr


def test_start_up_refuses_embedders_that_it_does_not_know_and_names_those_it_does() -> None:
    refused = started_with(EMBEDDER="wordllama,magic")
    assert "'magic'" in refused.stderr
    assert "'wordllama'" not in refused.stderr
    assert "known: wordllama, use, openai:MODEL, sentence-transformers:PATH" in refused.stderr
    assert "stands alone" in started_with(EMBEDDER="none,use").stderr
    assert "EMBEDDER" not in started_with(EMBEDDER=" use , openai:bge-large-zh-v1.5").stderr
    for nameless in ("openai:", "openai", "use:x", "hashing:0", "hashing:long"):
        assert "EMBEDDER" in started_with(EMBEDDER=nameless).stderr


def test_start_up_refuses_an_endpoint_that_nothing_can_be_sent_to() -> None:
    refused = started_with(EMBEDDING_BASE_URL="ftp://secret@models", EMBEDDING_LANGUAGES="en,tlh")
    assert "EMBEDDING_BASE_URL" in refused.stderr
    assert "secret" not in refused.stderr
    assert "EMBEDDING_LANGUAGES" in refused.stderr


def test_start_up_refuses_a_previous_endpoint_without_its_address() -> None:
    assert "EMBEDDING_PREVIOUS_BASE_URL" in started_with(**REQUIRED, EMBEDDER="openai:bge-m3,openai-previous:x").stderr
    assert "EMBEDDING_PREVIOUS_BASE_URL" in started_with(EMBEDDING_PREVIOUS_BASE_URL="ftp://x").stderr


def test_start_up_refuses_a_reranker_that_it_does_not_know_or_cannot_reach() -> None:
    assert "known: none, http" in started_with(RERANKER="magic").stderr
    assert "RERANKER" not in started_with(RERANKER="cross-encoder:/models/bge").stderr
    refused = started_with(RERANKER="http", **REQUIRED)
    assert refused.returncode == 1
    assert "RERANK_URL is empty" in refused.stderr
    assert started_with(RERANKER="http", RERANK_URL="http://models/rerank", **REQUIRED).returncode == 0


def test_a_fault_does_not_repeat_the_secret_it_refuses() -> None:
    refused = started_with(DATABASE_URL="postgresql://app:hunter2secret@/", SECRET_KEY="tiny-but-secret")
    assert "hunter2secret" not in refused.stderr
    assert "tiny-but-secret" not in refused.stderr


def test_the_readme_holds_the_generated_table() -> None:
    assert env_table() in (ROOT / "README.md").read_text()


def test_no_model_change_waits_for_a_migration(database: None) -> None:
    call_command("makemigrations", "--check", "--dry-run", stdout=StringIO())
