"""The reference holds every operation of the OpenAPI document, with what a reader needs to call it. Rows: D15."""

from typing import Any

import orjson
import pytest

from lab.documents.site.hooks import OPENAPI
from lab.documents.site.reference_pages import (
    ERRORS_PAGE,
    OVERVIEW_PAGE,
    list_operations,
    make_reference_nav,
    make_reference_pages,
)

DOCUMENT: dict[str, Any] = orjson.loads(OPENAPI.read_bytes())
PAGES = make_reference_pages(DOCUMENT)


def test_every_operation_stands_on_the_page_of_its_tag() -> None:
    operations = list(list_operations(DOCUMENT))
    assert len(operations) > 100
    for method, path, operation in operations:
        for tag in operation["tags"]:
            page = PAGES[f"reference/{tag}.md"]
            assert f"```http\n{method} {path}\n```" in page
            assert f"{{ #{operation['operationId']} }}" in page


def test_the_navigation_names_every_page_once() -> None:
    named = [page for part in make_reference_nav(DOCUMENT) for page in list_named_pages(part)]
    assert sorted(named) == sorted(PAGES)


def list_named_pages(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    parts = part.values() if isinstance(part, dict) else part
    return [page for one in parts for page in list_named_pages(one)]


def test_a_call_has_parameters_fields_examples_and_errors() -> None:
    page = PAGES["reference/recall.md"]
    assert "| `subject_id` (required) | path | string |" in page
    assert "| `query` (required) | string | The question, in any language. |" in page
    assert "At least 1. At most 100." in page
    assert '???+ example "Request: English"' in page
    assert '"query": "What should I not serve Ada?"' in page
    assert '??? example "Answer: 中文"' in page
    assert (
        "- 404: [`not_found`](errors.md#not_found)" in page or "- 401: [`invalid_key`](errors.md#invalid_key)" in page
    )


def test_every_code_of_an_error_has_its_place() -> None:
    codes = {code for one in DOCUMENT["components"]["responses"].values() for code in one.get("x-error-codes", ())}
    assert len(codes) > 20
    assert [code for code in sorted(codes) if f"## {code} {{ #{code} }}" not in PAGES[ERRORS_PAGE]] == []
    assert "HTTP status 422." in PAGES[ERRORS_PAGE]


def test_the_overview_lists_all_tags() -> None:
    assert all(f"[{tag['name']}]({tag['name']}.md)" in PAGES[OVERVIEW_PAGE] for tag in DOCUMENT["tags"])


@pytest.mark.parametrize("text", ["a | b", "<script>x</script>", "two\nlines"])
def test_descriptions_do_not_break_a_table(text: str) -> None:
    parameter = {"name": "p", "in": "query", "schema": {"type": "string"}, "description": text}
    operation = {"operationId": "o", "summary": text, "tags": ["t"], "parameters": [parameter], "responses": {}}
    document = {
        "info": {"description": ""}, "tags": [{"name": "t"}], "x-tagGroups": [{"name": "g", "tags": ["t"]}],
        "paths": {"/p": {"get": operation}}, "components": {},
    }  # fmt: skip
    (row,) = (
        line for line in make_reference_pages(document)["reference/t.md"].splitlines() if line.startswith("| `p`")
    )
    assert row.replace("\\|", "").count("|") == 5
    assert "<script>" not in row
