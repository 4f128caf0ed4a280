"""Promises about configuration: one table, every fault at once, no schema change without a migration. Rows: D16."""

import os
import subprocess
import sys
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.management import call_command

from memory_platform.env.environment import ConfigurationFault, Environment, environment
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


@dataclass(frozen=True, slots=True)
class Start:
    """How a process with some environment started, and what it said."""

    returncode: int
    stderr: str


def environment_of(given: dict[str, str]) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "DATA_DIR": "/nonexistent", **given}


def start_with(**given: str) -> Start:
    """Read exactly this environment and no stack file, as a process does when it starts."""
    no_file = patch.dict(Environment.model_config, env_file=None)
    with patch.dict(os.environ, environment_of(given), clear=True), no_file:
        try:
            environment.__wrapped__()
        except ConfigurationFault as fault:
            return Start(1, str(fault))
    return Start(0, "")


def start_process_with(**given: str) -> subprocess.CompletedProcess[str]:
    program = (
        "from memory_platform.env.environment import Environment, environment; "
        "Environment.model_config['env_file'] = None; environment()"
    )
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, env=environment_of(given), capture_output=True, text=True, check=False)


@pytest.mark.processes
def test_start_up_reports_every_fault_at_once() -> None:
    refused = start_process_with(DATABASE_URL="mysql://x", SECRET_KEY="short", EMBEDDER="magic")
    assert refused.returncode == 1
    for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "SECRET_KEY", "KEY_PEPPER", "EMBEDDER"):
        assert name in refused.stderr
    assert "make run" in refused.stderr
    assert "DATA_DIR=DIR" in refused.stderr, "a stack that runs elsewhere is not found by itself"


def test_a_bad_value_is_said_in_our_words_with_the_way_out_that_helps() -> None:
    bad = start_with(**REQUIRED, EMBEDDER="foo", DATABASE_POOL_SIZE="many")
    assert "  EMBEDDER: lists 'foo'; allowed: wordllama" in bad.stderr
    assert "  DATABASE_POOL_SIZE: " in bad.stderr
    assert "Value error" not in bad.stderr
    assert "Correct what is wrong" in bad.stderr
    assert "make run" not in bad.stderr, "no stack would mend it"
    lacking = start_with(**{name: value for name, value in REQUIRED.items() if name != "REDIS_URL"})
    assert "  REDIS_URL: is not set" in lacking.stderr
    assert "make run" in lacking.stderr
    assert "Correct" not in lacking.stderr


def test_start_up_refuses_embedders_that_it_does_not_know_and_names_those_it_does() -> None:
    refused = start_with(EMBEDDER="wordllama,magic")
    assert "'magic'" in refused.stderr
    assert "'wordllama'" not in refused.stderr
    assert "allowed: wordllama, use, openai:MODEL, sentence-transformers:PATH" in refused.stderr
    assert "use `none` alone" in start_with(EMBEDDER="none,use").stderr
    assert "EMBEDDER" not in start_with(EMBEDDER=" use , openai:bge-large-zh-v1.5").stderr
    for nameless in ("openai:", "openai", "use:x", "hashing:0", "hashing:long"):
        assert "EMBEDDER" in start_with(EMBEDDER=nameless).stderr


def test_start_up_refuses_an_endpoint_that_nothing_can_be_sent_to() -> None:
    refused = start_with(EMBEDDING_BASE_URL="ftp://secret@models", EMBEDDING_LANGUAGES="en,tlh")
    assert "EMBEDDING_BASE_URL" in refused.stderr
    assert "secret" not in refused.stderr
    assert "EMBEDDING_LANGUAGES" in refused.stderr


def test_start_up_refuses_a_previous_endpoint_without_its_address() -> None:
    assert "EMBEDDING_PREVIOUS_BASE_URL" in start_with(**REQUIRED, EMBEDDER="openai:bge-m3,openai-previous:x").stderr
    assert "EMBEDDING_PREVIOUS_BASE_URL" in start_with(EMBEDDING_PREVIOUS_BASE_URL="ftp://x").stderr


def test_start_up_refuses_a_reranker_that_it_does_not_know_or_cannot_reach() -> None:
    assert "allowed: none, http" in start_with(RERANKER="magic").stderr
    assert "RERANKER" not in start_with(RERANKER="cross-encoder:/models/bge").stderr
    refused = start_with(RERANKER="http", **REQUIRED)
    assert refused.returncode == 1
    assert "RERANK_URL is empty" in refused.stderr
    assert start_with(RERANKER="http", RERANK_URL="http://models/rerank", **REQUIRED).returncode == 0


def test_start_up_refuses_chat_endpoints_and_routes_that_cannot_work() -> None:
    named = '{"fast": {"kind": "openai", "model": "qwen3", "base_url": "http://models/v1", "api_key": "hunter2"}}'
    good = start_with(**REQUIRED, CHAT_ENDPOINTS=named, CHAT_ROUTES='{"extract": "fast", "judge": ""}')
    assert good.returncode == 0, good.stderr
    for endpoints, said in {
        "{": "CHAT_ENDPOINTS: is not JSON",
        "[]": "is not a JSON object",
        '{"a b": {}}': "'a b' is not a valid name",
        '{"x": {"kind": "magic", "model": "hunter2"}}': "'x': kind: Input should be 'openai', 'google'",
        '{"x": {"kind": "openai", "model": ""}}': "'x': model: ",
        '{"x": {"kind": "openai", "model": "m", "apikey": "hunter2"}}': "'x': apikey: ",
        '{"x": {"kind": "openai", "model": "m", "base_url": "hunter2"}}': "'x': base_url: is not an http",
        '{"x": {"kind": "google", "model": "gemini"}}': "'x': google needs an api_key",
        '{"x": {"kind": "google-vertex", "model": "gemini"}}': "'x': google-vertex needs a project",
        '{"x": {"kind": "openai", "model": "m", "region": "us"}}': "'x': project and region are for google-vertex",
    }.items():
        refused = start_with(**REQUIRED, CHAT_ENDPOINTS=endpoints)
        assert refused.returncode == 1
        assert said in refused.stderr
        assert "hunter2" not in refused.stderr
    assert "allowed: summarise, extract, judge, rewrite" in start_with(CHAT_ROUTES='{"dream": "fast"}').stderr
    assert "extract to endpoints that do not exist" in start_with(**REQUIRED, CHAT_ROUTES='{"extract": "slow"}').stderr
    assert start_with(**REQUIRED, CHAT_MODEL="m", CHAT_ROUTES='{"extract": "default"}').returncode == 0
    vertex = '{"v": {"kind": "google-vertex", "model": "m", "project": "p"}}'
    for endpoint, kept_by in ((named, "fast"), (named, "slow"), (vertex, "v")):
        refused = start_with(**REQUIRED, CHAT_ENDPOINTS=endpoint, PROMPT_CACHE_ENDPOINT=kept_by)
        assert "PROMPT_CACHE_ENDPOINT names no endpoint" in refused.stderr
    placed = vertex.replace('"p"', '"p", "region": "r"')
    assert start_with(**REQUIRED, CHAT_ENDPOINTS=placed, PROMPT_CACHE_ENDPOINT="v").returncode == 0
    twice = named.replace("fast", "default")
    assert "both name the endpoint" in start_with(**REQUIRED, CHAT_MODEL="m", CHAT_ENDPOINTS=twice).stderr


def test_a_fault_does_not_repeat_the_secret_it_refuses() -> None:
    refused = start_with(DATABASE_URL="postgresql://app:hunter2secret@/", SECRET_KEY="tiny-but-secret")
    assert "hunter2secret" not in refused.stderr
    assert "tiny-but-secret" not in refused.stderr


def test_the_configuration_page_holds_the_generated_table() -> None:
    assert env_table() in (ROOT / "docs" / "configuration.md").read_text()


def test_no_model_change_waits_for_a_migration(database: None) -> None:
    call_command("makemigrations", "--check", "--dry-run", stdout=StringIO())


def test_start_up_refuses_a_log_in_provider_that_cannot_be_trusted() -> None:
    client = {"CONSOLE_OIDC_CLIENT_ID": "console", "CONSOLE_OIDC_CLIENT_SECRET": "hunter2"}
    assert start_with(**REQUIRED, **client, CONSOLE_OIDC_ISSUER="https://id.example.com/realm").returncode == 0
    assert start_with(**REQUIRED, **client, CONSOLE_OIDC_ISSUER="http://localhost:8080").returncode == 0
    for issuer in ("http://id.example.com", "id.example.com", "ftp://id.example.com"):
        refused = start_with(**REQUIRED, **client, CONSOLE_OIDC_ISSUER=issuer)
        assert "CONSOLE_OIDC_ISSUER: is not an https:// address" in refused.stderr, issuer
    assert "CONSOLE_OIDC_CLIENT_ID" in start_with(**REQUIRED, CONSOLE_OIDC_ISSUER="https://id.example.com").stderr
    assert "CONSOLE_OIDC_SCOPES" in start_with(**REQUIRED, CONSOLE_OIDC_SCOPES="profile").stderr


def test_start_up_refuses_groups_that_it_cannot_use() -> None:
    good = '{"staff": {"acme": "support", "globex": "viewer"}}'
    assert start_with(**REQUIRED, CONSOLE_OIDC_GROUPS=good).returncode == 0
    assert "is not JSON" in start_with(**REQUIRED, CONSOLE_OIDC_GROUPS="staff=acme").stderr
    for groups in ('{"staff": {"acme": "operator"}}', '{"staff": "acme"}', "[]"):
        assert "CONSOLE_OIDC_GROUPS" in start_with(**REQUIRED, CONSOLE_OIDC_GROUPS=groups).stderr, groups
