"""pytest plugin: of a table of cases that needs a server, `make test` tries every fifth, the slow suite the others.

So it does with a table marked `sampled` that needs none, and `make test-unit` with every table (`--sample-tables`).
Tables of fewer than four cases and those marked `whole`, of walls between tenants, are tried whole.

Each case of such a table runs whole pipelines on real servers, and most faults break more than one case. The step is
odd, so that a table that lists each case in English and in Chinese is tried in both.
"""

from collections import defaultdict

import pytest

from tests.units import needs_server

FEWEST, STEP = 4, 5


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sample-tables", action="store_true", help="sample tables that need no server, too")


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tables: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if is_sampled(item):
            tables[item.nodeid.partition("[")[0]].append(item)
    for cases in tables.values():
        if len(cases) >= FEWEST:
            for number, case in enumerate(cases):
                if number % STEP:
                    case.add_marker("slow")


def is_sampled(item: pytest.Item) -> bool:
    if item.get_closest_marker("whole"):
        return False
    if not hasattr(item, "callspec"):
        return False
    reasons = (item.config.option.sample_tables, needs_server(item), item.get_closest_marker("sampled"))
    return any(reasons)
