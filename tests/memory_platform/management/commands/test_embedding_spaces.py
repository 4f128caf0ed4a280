"""The operator sees, finishes and ends a change of the embedding model from the command line. Rows: S5, T7."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import override_settings
from psycopg.conninfo import make_conninfo
from pytest_django.fixtures import Settings

from memory_platform.providers.registry import forget_providers
from snapshots.embedding.config import BACKFILL
from snapshots.models import EmbeddingSpace, IndexedChunk, SnapshotVector
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.model_server import ModelServer, Reply, Request, model_server
from tests.snapshots.embedding.world import counts, store
from tests.snapshots.knowledge.indexed_documents import store_indexed_document

ROOT = Path(__file__).resolve().parents[4]
OLD, NEW, BOTH = "hashing:64", "hashing:32", "hashing:32,hashing:64"


def run_command(*arguments: str) -> str:
    out = StringIO()
    call_command("embedding_spaces", *arguments, stdout=out, stderr=out, no_color=True)
    return out.getvalue()


def run_refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as stopped:
        run_command(*arguments)
    return str(stopped.value)


def cells(printed: str, space: str) -> list[str]:
    """Return the cells of one space's line."""
    (line,) = (line for line in printed.splitlines() if line.startswith(f"{space} "))
    return line.split()


@pytest.fixture
def migrating(world: World, settings: Settings) -> World:
    """The new model is listed first; three memories of acme and one of globex stand in the old space."""
    with override_settings(EMBEDDER=OLD):
        store(world.acme, "peanuts make me ill", "对花生过敏", "three")
        store(world.globex, "secret plans of globex")
    settings.EMBEDDER = BOTH
    return world


def test_the_table_shows_what_each_space_holds_and_lacks(migrating: World) -> None:
    printed = run_command()
    assert cells(printed, "hashing-32")[:9] == ["hashing-32", "32", "en,zh,ja,ko,other", "1", "yes", "0", "4", "0", "%"]
    assert cells(printed, "hashing-64")[:7] == ["hashing-64", "64", "en,zh,ja,ko,other", "2", "yes", "4", "0"]
    assert cells(run_command("--tenant", "globex"), "hashing-32")[5:7] == ["0", "1"]
    assert "secret" not in printed
    assert EmbeddingSpace.objects.get(name="hashing-32").missing == 4  # kept for the console


def test_a_tenants_count_is_not_kept_as_the_platforms(migrating: World) -> None:
    run_command()
    run_command("--tenant", "globex")
    assert EmbeddingSpace.objects.get(name="hashing-32").missing == 4


def test_reembedding_fills_the_space_and_a_second_run_finds_nothing_to_do(migrating: World) -> None:
    printed = run_command("--reembed", "--tenant", "acme")
    assert cells(printed, "hashing-32")[5:9] == ["3", "3", "100", "%"]
    assert counts(migrating.globex) == (1, 1, 1)
    assert cells(run_command("--reembed"), "hashing-32")[5:9] == ["4", "4", "100", "%"]
    assert counts(migrating.globex) == (1, 1, 2)
    run_command("--reembed")
    assert counts(migrating.acme) == (3, 3, 6)


def test_a_space_in_use_and_one_that_is_not_there_are_refused(migrating: World) -> None:
    assert "is listed in EMBEDDER" in run_refused("--drop", "hashing-64", "--yes")
    assert "Spaces here: hashing-64" in run_refused("--drop", "hashing-65", "--yes")
    assert "leave out --tenant" in run_refused("--drop", "hashing-64", "--yes", "--tenant", "acme")
    assert "no tenant" in run_refused("--tenant", "nobody")
    assert counts(migrating.acme) == (3, 3, 3)


@pytest.mark.parametrize("typed", ["", "hashing-32\n", "yes\n"])
def test_without_the_spaces_name_nothing_is_dropped(
    migrating: World, monkeypatch: pytest.MonkeyPatch, settings: Settings, typed: str
) -> None:
    settings.EMBEDDER = NEW
    monkeypatch.setattr(sys, "stdin", StringIO(typed))
    assert "Nothing was dropped" in run_refused("--drop", "hashing-64")
    assert counts(migrating.acme) == (3, 3, 3)


def test_the_replaced_space_leaves_and_says_what_words_alone_find(
    migrating: World, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    run_command("--reembed", "--tenant", "acme")
    settings.EMBEDDER = NEW
    monkeypatch.setattr(sys, "stdin", StringIO("hashing-64\n"))
    printed = run_command("--drop", "hashing-64")
    assert "vectors of 4 memories in use, 1 of them with vectors nowhere else" in printed
    assert "4 vectors were dropped" in printed
    assert not EmbeddingSpace.objects.filter(name="hashing-64").exists()
    with tenant_tx(migrating.acme.tenant.id):
        assert AuditRecord.objects.filter(action="embedding_space.dropped", reason="hashing-64").count() == 1
        assert set(SnapshotVector.objects.values_list("space__name", flat=True)) == {"hashing-32"}


def test_documents_move_with_the_memories_and_hold_no_space_back(migrating: World, settings: Settings) -> None:
    tenant = migrating.globex.tenant.id
    with override_settings(EMBEDDER=OLD):
        store_indexed_document(tenant, "tea", ["Green tea likes 80 degrees.", "绿茶用八十度的水。"])
    assert "2 chunks of documents wait" in run_command()
    assert "chunks of documents wait" not in run_command("--reembed")
    with override_settings(EMBEDDER=OLD):
        store_indexed_document(tenant, "late", ["Black tea likes boiling water."])
    settings.EMBEDDER = NEW
    printed = run_command("--drop", "hashing-64", "--yes")
    assert "vectors of 1 chunks of documents, which have vectors nowhere else" in printed
    assert "5 vectors were dropped" in printed
    assert not EmbeddingSpace.objects.filter(name="hashing-64").exists()
    with tenant_tx(tenant):
        assert list(IndexedChunk.objects.order_by("space__name").values_list("space__name", flat=True)) == [
            "hashing-32",
            "hashing-32",
            None,
        ]


def vectors(length: int) -> ModelServer:
    """Return an endpoint that answers vectors of ``length`` numbers, whatever it is asked."""

    def answer(request: Request) -> Reply:
        rows = [{"index": i, "embedding": [1.0] * length} for i in range(len(request.body["input"]))]
        return Reply({"data": rows})

    return ModelServer(answer)


@pytest.fixture
def endpoint(settings: Settings) -> Iterator[ModelServer]:
    """The second model listed is one behind an endpoint whose length nobody knows before it answers."""
    forget_providers()
    with model_server(vectors(8).answer) as server:
        settings.EMBEDDING_BASE_URL = server.url
        yield server
    forget_providers()


def test_a_model_that_answers_another_length_is_named(
    migrating: World, settings: Settings, endpoint: ModelServer
) -> None:
    settings.EMBEDDER = "openai:bge-m3"
    printed = run_command()
    assert "no: The model's endpoint gave no usable answer: wrong_dimension." in printed
    assert "4 memories lack vectors still" in run_refused("--reembed")
    assert counts(migrating.acme) == (3, 3, 3)


def test_a_model_of_unknown_length_that_is_away_is_named_and_nothing_is_dropped(
    migrating: World, settings: Settings, endpoint: ModelServer
) -> None:
    settings.EMBEDDER = "hashing:32,openai:house-model"
    endpoint.answer = lambda _: Reply({}, status=401)
    assert "openai:house-model@0: the model does not answer" in run_command()
    assert "A listed model does not answer" in run_refused("--reembed")
    assert "hashing-64 may be its space" in run_refused("--drop", "hashing-64", "--yes")


REEMBED_ACME = ["manage.py", "embedding_spaces", "--reembed", "--tenant", "acme"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_done_and_the_next_run_goes_on(migrating: World, endpoint: ModelServer) -> None:
    with override_settings(EMBEDDER=OLD):
        store(migrating.acme, *(f"memory {n}" for n in range(250)))
    prompt, silent, given_up = endpoint.answer, threading.Event(), threading.Event()

    def silent_after_one_batch(request: Request) -> Reply:
        asked = sum(len(one.body["input"]) for one in endpoint.requests)
        if asked > 3 * BACKFILL.batch:  # each memory has two texts, and one asks for the length of a vector
            silent.set()
            given_up.wait(60)
        return prompt(request)

    endpoint.answer = silent_after_one_batch
    environment = os.environ | {
        "EMBEDDER": "openai:house-model,hashing:64",
        "EMBEDDING_BASE_URL": endpoint.url,
        "DATABASE_URL": make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"])),
    }
    running = subprocess.Popen(
        # Tests that run in the background may have SIGINT ignored, and a child inherits that.
        ["/usr/bin/env", "--default-signal=INT", sys.executable, *REEMBED_ACME],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert silent.wait(60)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    given_up.set()
    assert (running.returncode, "it goes on where it stopped" in said) == (130, True), said
    done = counts(migrating.acme)[2] - 253
    assert done == BACKFILL.batch
    with override_settings(EMBEDDER="openai:house-model,hashing:64"):
        endpoint.answer = prompt
        run_command("--reembed", "--tenant", "acme")
    assert counts(migrating.acme)[2] == 2 * 253
