"""Who somebody is, and since when, in the lines of a context. Rows: P6, P10, X9."""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.held import prefer

ADA = "/v1/subjects/ada"


@pytest.mark.parametrize(
    ("tag", "path", "lines"),
    [
        (
            {"label": "wife", "relation": "wife", "aliases": ["Sarah"], "phone": "510-555-0133"},
            ("people", "wife_employer", "Google"),
            ["wife Sarah: 510-555-0133", "wife's employer: Google"],
        ),
        (
            {"label": "女朋友", "relation": "前女朋友", "aliases": ["小雨"], "phone": "13900001234"},
            ("people", "女朋友_employer", "谷歌"),
            ["前女朋友小雨: 13900001234", "女朋友的工作单位: 谷歌"],
        ),
    ],
)
def test_people_are_called_by_name_under_the_day_on_which_it_was_true(
    acme: Caller, world: World, tag: dict[str, Any], path: tuple[str, str, Any], lines: list[str]
) -> None:
    made = {**tag, "kind": "contact", "valid_at": "2026-09-02T08:00:00Z"}
    assert acme("POST", f"{ADA}/tags", made).status_code == 201
    prefer(world.acme, *path)
    asked = {"query": "Hi", "system_prompt": "Be kind.", "at": "2026-11-23T08:00:00Z"}
    prefix = body_of(acme("POST", f"{ADA}/context", asked))["messages"][0]["content"].splitlines()
    assert all(f"- {line}" in prefix for line in lines), prefix
    assert prefix[prefix.index(f"- {lines[0]}") - 1] == "2 Sep 2026:"
