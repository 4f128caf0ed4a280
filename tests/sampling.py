"""pytest plugin: of a table of cases marked `sampled`, `make test` tries every eighth, the slow suite the others.

Each case of such a table runs whole pipelines on real servers, and most faults break more than one case.
"""

from collections import Counter

import pytest

EACH = 8


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    counted: Counter[object] = Counter()
    for item in items:
        if item.get_closest_marker("sampled"):
            table = getattr(item, "function", item)
            if counted[table] % EACH:
                item.add_marker("slow")
            counted[table] += 1
