"""Recall in threads while what it reads is edited, forgotten, re-embedded, erased. Rows: R2, R6, E6, S5, T1.

Once with room for all indexes, once with room for hardly any: then every question builds its own.
"""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import override_settings

from memory_platform.providers import registry
from profiles.services.subjects import ensure_subject
from snapshots.erasure.subjects import erase_subject
from snapshots.models import Snapshot
from snapshots.recall.loading.loaded_indexes import SUBJECTS, IndexCache
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.recall.histories import ASKED, History, speaks
from tests.snapshots.recall.memory_indexes import test_index_against_sql as compared
from tests.snapshots.recall.small_talk import a_question

THREADS, STEPS = 4, 24
GIL = ("Gil keeps a red boat", "吉尔喜欢喝茶", "Gil plays the cello in the kitchen")
Pair = tuple[UUID, str]


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made: Any = registry._EMBEDDED
    for name in compared.MODELS:
        monkeypatch.setitem(made, name, partial(compared.MODELS.__getitem__, name))
    SUBJECTS.clear()
    yield
    registry.forget_providers()


@dataclass
class RemovedWords:
    """What memories said, and since when (monotonic) they no longer do."""

    held: frozenset[Pair] = frozenset()
    since: dict[Pair, float] = field(default_factory=dict)

    def look(self, house: House) -> None:
        """Note what is held now: whatever was and is not, is gone from here on."""
        with tenant_tx(house.tenant.id):
            rows = Snapshot.objects.filter(subject_id=house.subject.id, retired_at__isnull=True).order_by()
            held = frozenset(rows.values_list("id", "text"))
        now = time.monotonic()
        self.since = dict.fromkeys(self.held - held, now) | {
            one: at for one, at in self.since.items() if one not in held
        }
        self.held = held


@dataclass(frozen=True)
class Answer:
    began: float
    pairs: tuple[Pair, ...]


def asking(world: World, stop: threading.Event, seed: int) -> list[Answer]:
    """Ask both houses in turn until told to stop; return what was said of Ada."""
    chance, answers = random.Random(seed), list[Answer]()  # noqa: S311 - questions, not secrets
    try:
        while not stop.is_set():
            began = time.monotonic()
            found = ask(world.acme, a_question(chance))
            answers.append(Answer(began, tuple((one.id, one.text) for one in found.memories)))
            gil = ask(world.globex, "Gil boat cello 喝茶")
            assert {one.text for one in gil.memories} == set(GIL)
    finally:
        connection.close()
    return answers


def ask(house: House, text: str) -> Any:
    query = RecallQuery(text=text, asked_at=ASKED, top_k=20, lanes=frozenset({"snapshots"}))
    return recall(house.tenant.id, house.subject.external_id, query)


def agrees(history: History, indexes: IndexCache, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether recall and plain SQL say the same of some questions."""
    queries = [RecallQuery(history.question(), asked_at=ASKED, top_k=8, lanes=frozenset({"snapshots"})) for _ in "123"]
    return not any(
        compared.first_difference(
            compared.by_recall(history, query, indexes, monkeypatch), compared.by_sql(history, query), query
        )
        for query in queries
    )


@pytest.mark.parametrize("room", [10**8, 6_000], ids=["room for all", "room for hardly any"])
@pytest.mark.slow
def test_nobody_hears_of_what_was_gone_and_all_end_with_what_is_there(
    world: World, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    indexes, history, gone = IndexCache(room), History(world.acme, random.Random(room)), RemovedWords()  # noqa: S311 - no secret
    monkeypatch.setattr("snapshots.recall.loading.loaded_indexes.INDEXES", indexes)
    said_at = ASKED.replace(month=3)
    remember(world.globex, *GIL, said_at=said_at)
    stop = threading.Event()
    with ThreadPoolExecutor(THREADS) as threads:
        running = [threads.submit(asking, world, stop, seed) for seed in range(THREADS)]
        try:
            for _ in range(STEPS):
                with override_settings(EMBEDDER=history.models):
                    history.step()
                gone.look(world.acme)
            assert agrees(history, indexes, monkeypatch)
            erase_subject(world.acme.tenant.id, world.acme.subject.external_id, by=COMMAND_LINE)
            gone.look(world.acme)
            time.sleep(0.3)
            with tenant_tx(world.acme.tenant.id):
                anew = ensure_subject(world.acme.subject.external_id)
            history = replace(history, house=replace(world.acme, subject=anew))
            with override_settings(EMBEDDER=history.models):
                speaks(history)
            assert agrees(history, indexes, monkeypatch)
        finally:
            stop.set()
        answers = [one for thread in running for one in thread.result()]
    assert len(gone.since) > STEPS // 4
    assert len([one for one in answers if one.pairs]) > THREADS
    late = [pair for one in answers for pair in one.pairs if gone.since.get(pair, one.began) < one.began]
    assert not late
    assert indexes.size <= room
