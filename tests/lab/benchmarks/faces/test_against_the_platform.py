"""``manage.py bench faces`` and ``bench checkpoints`` make real calls, both ways the same work. Rows: D4, D8."""

import os
from collections.abc import Iterator

import psutil
import psycopg
import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from lab.benchmarks.faces.checkpoint_rate import RatePlan, measure_checkpoints
from lab.benchmarks.faces.pairs import SUBJECT, open_pairs
from lab.benchmarks.faces.turns import measure_pairs
from lab.benchmarks.load.load_target import MeasuredStack, parse_target
from snapshots.models import Checkpoint, MemoryFile, Message, StoreItem
from tenants.isolation import tenant_tx
from tests.clients.python.conftest import lift_limits
from tests.conftest import World
from tests.serving import serve_app, working

pytestmark = [pytest.mark.slow, pytest.mark.processes]


@pytest.fixture
def target(world: World) -> Iterator[MeasuredStack]:
    lift_limits(world.acme)
    with serve_app() as port, working(world.acme.tenant.id):
        yield parse_target(f"http://127.0.0.1:{port}", world.acme.token)


def test_each_pair_does_the_same_by_both_ways(world: World, target: MeasuredStack) -> None:
    target.post_texts(SUBJECT, ["I own a red boat.", "我有一条红色的船。"])
    with open_pairs(target, world.acme.tenant.id) as pairs:
        measured = measure_pairs(pairs, 1, lambda: 0.0, advance=lambda step: None, block=1)
    assert len(measured) == 15
    assert all(len(way.ms) == 1 for one in measured for way in (one.face, one.native))
    with tenant_tx(world.acme.tenant.id):
        assert [StoreItem.objects.filter(value__colour="red").count()] == [5]
        for ending in ("http", "function"):
            text = MemoryFile.objects.get(path__endswith=f"/{ending}").text
            assert not text.endswith("count 0\n"), "it was edited"
            assert Message.objects.filter(conversation__external_id__endswith=ending).count() == 52
        threads = Checkpoint.objects.filter(thread__external_id__startswith="faces-")
        assert threads.filter(thread__external_id__endswith="-http").count() == 3
        assert threads.filter(thread__external_id__endswith="-function").count() == 2


def test_checkpoints_and_bare_rows_are_counted_and_the_rows_removed(world: World, target: MeasuredStack) -> None:
    owner_url = make_conninfo(os.environ["DATABASE_OWNER_URL"], dbname=str(connection.settings_dict["NAME"]))
    plan = RatePlan(threads=2, rounds=1, seconds=0.2)
    saver, bare = measure_checkpoints(target, owner_url, [psutil.Process()], plan, advance=lambda step: None)
    assert bare.count > 0
    with tenant_tx(world.acme.tenant.id):
        assert Checkpoint.objects.count() == saver.count + plan.threads
    assert saver.render_row().startswith("| saver `put` | ")
    with psycopg.connect(owner_url) as owner:
        assert owner.execute("SELECT to_regclass('bench_floor')").fetchone() == (None,)
