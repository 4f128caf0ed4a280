"""How a run deals subjects to cells, and how what clients tell becomes a table."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import ClassVar

import pytest

from lab.benchmarks.load.client import parse_stages
from lab.benchmarks.load.client_processes import Crew, merge_replies, start_crew
from lab.benchmarks.load.load_target import MeasuredStack, make_recall_request, parse_target
from lab.benchmarks.load.measurement_rounds import (
    COLD,
    LIVE,
    RECALL,
    SELECT,
    WARM,
    WRITTEN,
    Bench,
    Cell,
    list_cells,
    run_rounds,
    split_cohorts,
)
from lab.benchmarks.load.protocol import AskFailed, repeat_requests
from lab.benchmarks.load.timings import Slice
from lab.benchmarks.peer_stores import PeerSeen
from lab.benchmarks.report import describe_run, render_table
from memory_platform.kernel.errors import InvalidInput


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with stages, and refuses one path; keeps what it was asked."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    asked: ClassVar[list[tuple[str, str]]] = []
    connections: ClassVar[set[int]] = set()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.asked.append((self.path, body))
        self.connections.add(self.client_address[1])
        said = b'{"memories":[{"text":"timings_ms"}],"timings_ms":{"embed":0.5,"read":1.25}}'
        self.send_response(500 if "refused" in self.path else 200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def target() -> Iterator[MeasuredStack]:
    Echo.asked.clear()
    Echo.connections.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield MeasuredStack("127.0.0.1", server.server_address[1], "mk_test")
    server.shutdown()
    server.server_close()


def bench(sizes: dict[int, int], rounds: int = 2) -> Bench:
    names = {size: [f"bench-{size}-{i:05d}" for i in range(count)] for size, count in sizes.items()}
    return Bench(Crew([]), MeasuredStack("nowhere", 1, ""), "", split_cohorts(names), 0.1, rounds)


@pytest.mark.processes
def test_clients_are_programs_that_ask_over_one_kept_connection_each(target: MeasuredStack) -> None:
    with ExitStack() as stack:
        crew = start_crew(2, stack)
        order = target.make_order([make_recall_request("ada", "Where?"), ("POST", "/refused", {})], None)
        found = crew.run_orders([order, order])
        assert (len(found.ms), found.failed) == (2, 2)
        assert found.stages == ({"embed": 0.5, "read": 1.25},) * 2
        assert found.cpu_s > 0
        again = crew.run_orders([target.make_order([make_recall_request("ada", "Where?")], 0.2)])
        assert again.wall_s >= 0.2
        assert len(again.ms) > 10
    assert len(Echo.connections) == 2
    path, body = next(asked for asked in Echo.asked if "refused" not in asked[0])
    assert path == "/v1/subjects/ada/recall"
    assert json.loads(body) == {"query": "Where?", "top_k": 10}


def test_stages_are_read_from_the_end_of_an_answer() -> None:
    assert parse_stages(b'{"text":"\\"timings_ms\\":","timings_ms":{"rank":2.0}}') == {"rank": 2.0}
    assert parse_stages(b'{"status":"ok"}') == {}


def test_asking_ends_after_all_questions_or_when_the_time_is_over() -> None:
    def ask(number: int) -> tuple[float, dict[str, float]]:
        if number == 1:
            raise AskFailed
        return 0.002, {}

    once = repeat_requests(ask, 3, None)
    assert (once["ms"], once["failed"]) == ([2.0, 2.0], 1)
    timed = repeat_requests(ask, 3, 0.05)
    assert 0.05 <= timed["wall_s"] < 1
    assert len(timed["ms"]) > 10


def test_slices_of_clients_that_work_together_add_up_and_last_as_long_as_the_slowest() -> None:
    one = {"ms": [1.0], "stages": [{}], "failed": 1, "wall_s": 2.0, "cpu_s": 0.5}
    both = merge_replies([one, {**one, "wall_s": 3.0}])
    assert both == Slice((1.0, 1.0), 3.0, 1.0, 2, ({}, {}))


def test_fresh_subjects_are_shared_out_and_cells_of_many_clients_go_without() -> None:
    cells = list_cells((100, 10_000), (1, 4, 16))
    dealt = bench({100: 316, 10_000: 10})
    dealt.allot_fresh_subjects(cells)
    assert len(dealt.cohorts.fresh[100]) == 300
    assert dealt.share_of_fresh == {100: 50, 10_000: 2}
    assert dealt.measure(Cell(RECALL, 4, 10_000, COLD)) is None
    assert dealt.measure(Cell(RECALL, 16, 10_000, WRITTEN)) is None


def test_a_subject_is_fresh_once_and_never_one_that_is_asked_again_and_again() -> None:
    cohorts = bench({100: 40}).cohorts
    first, second = cohorts.take_fresh(100, 10), cohorts.take_fresh(100, 100)
    assert len(first) == 10
    assert not set(first) & set(second)
    assert not set(first + second) & {*cohorts.hot[100], *cohorts.writers[100]}


def test_every_cell_has_its_turn_in_every_round() -> None:
    others = {Cell("a", 1, 5, WARM): [], Cell("b", 1, 5, WARM): []}  # type: dict[Cell, list[int]]
    told: list[Cell] = []

    def measure(cell: Cell) -> Slice | None:
        told.append(cell)
        return Slice((1.0,), 1.0) if cell.what == "a" else None

    turns: list[int] = []
    found = run_rounds(bench({}, rounds=3), [], dict.fromkeys(others, measure), advance=turns.append)
    assert {cell.what: len(slices) for cell, slices in found.items()} == {"a": 3}
    assert len(told) == sum(turns) == 6
    assert {cell.what for cell in told[:2]} == {"a", "b"}


def test_a_run_shows_multiples_of_the_floor_of_as_many_clients_and_who_could_not_be_measured() -> None:
    measured = {
        Cell(SELECT, 1): [Slice((0.1,), 1.0)],
        Cell(SELECT, 4): [Slice((0.5,), 1.0)],
        Cell(LIVE, 4): [Slice((1.0,), 1.0)],
        Cell(RECALL, 4, 100, WARM): [Slice((5.0,), 1.0, 0.5, 2, ({"rank": 2.0},))],
        Cell(RECALL, 16, 100, WARM): [Slice((5.0,), 1.0)],
    }
    run = describe_run(measured, [PeerSeen("x", refused="no package")], [100.0, 200.0, 300.0])
    ratios = {(cell["what"], cell["clients"]): cell["x_select_1"] for cell in run["cells"]}
    assert ratios == {(SELECT, 1): 1, (SELECT, 4): 1, (LIVE, 4): 2, (RECALL, 4): 10, (RECALL, 16): None}
    shown = render_table(run)
    assert "| recall | warm | 100 | 4 | 1 (2 failed) | 5.00 | – | – | 1 | 10.0 | 0.50 | rank 2.00 |" in shown
    assert "remembered after 200 ms" in shown
    assert "x: not measured: no package" in shown


def test_an_address_is_checked() -> None:
    assert parse_target("http://127.0.0.1:8460", "k").port == 8460
    for wrong in ("127.0.0.1:8460", "https://host", "http://host/v1"):
        with pytest.raises(InvalidInput):
            parse_target(wrong, "k")
