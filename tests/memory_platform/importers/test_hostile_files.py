"""Bad rows are refused one by one with their reason, and never stop the good ones. Rows: D11."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from memory_platform.importers.config import IMPORTERS
from memory_platform.importers.foreign_rows import (
    ForeignMemory,
    ForeignMessage,
    ForeignPreference,
    ForeignRow,
    ReadingOptions,
    RowFault,
)
from memory_platform.importers.foreign_systems import SYSTEMS
from tests.memory_platform.importers.foreign_files import write_json, write_json_lines

GOOD = {"id": "g", "memory": "Likes tea", "user_id": "ada", "created_at": "2025-01-01T00:00:00Z"}


def read_rows(system: str, path: Path, **options: Any) -> list[ForeignRow]:
    return list(SYSTEMS[system].read(path, ReadingOptions(**options), lambda count: None))


def reasons(rows: list[ForeignRow]) -> list[str]:
    return [row.reason if isinstance(row, RowFault) else "" for row in rows]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (GOOD | {"memory": ""}, "no_text"),
        (GOOD | {"memory": 7}, "no_text"),
        (GOOD | {"user_id": None}, "no_subject"),
        (GOOD | {"user_id": "a/b"}, "no_subject"),
        (GOOD | {"created_at": "3000-01-01T00:00:00Z"}, "in_future"),
        (GOOD | {"created_at": "01/02/2025"}, "not_a_time"),
        (GOOD | {"created_at": True}, "not_a_time"),
        (GOOD | {"created_at": "9999-12-31T23:59:59-12:00"}, "not_a_time"),
        (GOOD | {"created_at": 1e300}, "not_a_time"),
        (GOOD | {"expiration_date": "soon"}, "not_a_time"),
        ("Likes tea", "not_an_object"),
        (None, "not_an_object"),
    ],
    ids=str,
)
def test_a_bad_memory_says_why_and_the_next_is_read(row: Any, reason: str, tmp_path: Path) -> None:
    rows = read_rows("mem0", write_json(tmp_path / "m.json", [row, GOOD]))

    assert reasons(rows) == [reason, ""]


@pytest.mark.parametrize("form", ["list", "lines"])
def test_half_a_character_refuses_its_row(form: str, tmp_path: Path) -> None:
    bad = orjson.dumps(GOOD).replace(b"Likes tea", rb"Likes \ud83d")
    good = orjson.dumps(GOOD)
    path = tmp_path / "m.json"
    path.write_bytes(b"[" + bad + b",\n" + good + b"]" if form == "list" else bad + b"\n" + good + b"\n")

    rows = read_rows("mem0", path)

    assert isinstance(rows[-1], ForeignMemory)
    if form == "lines":
        assert reasons(rows) == ["malformed_json", ""]
    else:
        assert isinstance(rows[0], ForeignMemory)
        assert rows[0].text == "Likes ?"


def test_what_stands_before_the_break_of_half_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(orjson.dumps({"results": [GOOD, GOOD, GOOD]})[:-40])

    assert reasons(read_rows("mem0", path)) == ["", "", "broken_file"]


def test_a_bad_line_is_refused_alone(tmp_path: Path) -> None:
    good = orjson.dumps(GOOD)
    path = tmp_path / "m.jsonl"
    path.write_bytes(b"\n".join([good, b'{"id": ', b"\xff\xfe{}", good, b"", b"NaN", b"[" * 100_000]) + b"\n")

    rows = read_rows("mem0", path)

    assert reasons(rows) == ["", "malformed_json", "wrong_encoding", "", "malformed_json", "malformed_json"]
    assert isinstance(rows[1], RowFault)
    assert rows[1].place == "line 2"


def test_a_line_that_is_too_long_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    huge = orjson.dumps(GOOD | {"memory": "x" * (2 * IMPORTERS.line_bytes)})
    path.write_bytes(orjson.dumps(GOOD) + b"\n" + huge + b"\n" + orjson.dumps(GOOD) + b"\n")

    assert reasons(read_rows("mem0", path)) == ["", "too_large", ""]


def test_deep_nesting_refuses_its_row(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    deep = b'{"a":' * 3_000 + b"1" + b"}" * 3_000
    path.write_bytes(b'[{"id":"d","memory":"x","user_id":"ada","metadata":' + deep + b"}," + orjson.dumps(GOOD) + b"]")

    assert reasons(read_rows("mem0", path))[0] in ("unstorable", "broken_file")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "content", [b"", b"null", b"7", b"{}", b'{"results": {}}', b"\x00\x01", b"SQLite format 3\x00 but not really"]
)
@pytest.mark.parametrize("system", ["mem0", "zep", "letta", "chats"])
def test_a_file_of_something_else_is_refused_in_one_sentence(content: bytes, system: str, tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_bytes(content)

    rows = read_rows(system, path, subject_id="ada")

    assert rows
    assert all(isinstance(row, RowFault) for row in rows)


def test_another_encoding_is_read_when_it_is_named(tmp_path: Path) -> None:
    text = "key,value,when\n茶,龙井,2025-01-01\n"
    path = tmp_path / "p.csv"
    path.write_bytes(text.encode("gb18030"))

    assert reasons(read_rows("preferences", path, subject_id="ada")) == ["unstorable_character"]
    [row] = read_rows("preferences", path, subject_id="ada", encoding="gb18030")
    assert isinstance(row, ForeignPreference)
    assert (row.key, row.value) == ("茶", "龙井")


def test_json_in_another_encoding_is_read_when_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(orjson.dumps([GOOD | {"memory": "喜欢喝茶"}]).decode().encode("utf-16"))

    assert reasons(read_rows("mem0", path)) == ["broken_file"]
    [row] = read_rows("mem0", path, encoding="utf-16")
    assert isinstance(row, ForeignMemory)
    assert row.text == "喜欢喝茶"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('seat,=HYPERLINK("http://x"),2025-01-01', "formula"),
        ("seat,=1+1,2025-01-01", "formula"),
        ("@SUM(A1:A9),aisle,2025-01-01", "formula"),
        ("seat,+cmd|' /C calc'!A0,2025-01-01", "formula"),
        ("seat,aisle,", "no_time"),
        ("seat,aisle,tomorrow", "not_a_time"),
        ("seat,aisle,3000-01-01", "in_future"),
        ("seat,,2025-01-01", "no_text"),
        ("a/b,aisle,2025-01-01", "not_a_key"),
        ("seat,aisle,2025-01-01,more,cells", "too_many_cells"),
        ("seat,a\x00b,2025-01-01", "unstorable_character"),
        (f"seat,{'x' * 30_000},2025-01-01", "too_long"),
        (f"seat,{'x' * 200_000},2025-01-01", "not_a_table_row"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_cell_refuses_its_row(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"key,value,when\n{line}\nphone,+41 44 000 00 00,2025-01-01\n", encoding="utf-8")

    rows = read_rows("preferences", path, subject_id="ada")

    assert reasons(rows) == [reason, ""]
    assert isinstance(rows[1], ForeignPreference)
    assert rows[1].value == "+41 44 000 00 00"


def test_semicolons_and_tabs_part_columns_too(tmp_path: Path) -> None:
    for mark in ";\t":
        path = tmp_path / "p.csv"
        path.write_text(mark.join(("Key", "Value", "When")) + "\n" + mark.join(("seat", "a,b", "2025-01-01")) + "\n")

        [row] = read_rows("preferences", path, subject_id="ada")

        assert isinstance(row, ForeignPreference)
        assert row.value == "a,b"


def test_a_table_without_its_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("seat,aisle,2025-01-01\n")

    assert reasons(read_rows("preferences", path, subject_id="ada")) == ["no_header"]


def test_ids_with_slashes_become_ids_that_can_be_addressed(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "Hi", "id": "m/1"}]
    line = {"id": "../../etc", "user": "ada", "messages": messages}

    first, again = (read_rows("chats", write_json_lines(tmp_path / "c.jsonl", [line]))[0] for _ in "12")

    assert isinstance(first, ForeignMessage)
    assert "/" not in first.conversation_id + first.fields["message_id"]
    assert first == again


def test_a_ring_of_chatgpt_nodes_ends(tmp_path: Path) -> None:
    message = {"author": {"role": "user"}, "content": {"parts": ["Hi"]}, "id": "m"}
    ring = {"a": {"parent": "b", "message": message}, "b": {"parent": "a", "message": message}}
    path = write_json(tmp_path / "c.json", [{"id": "x", "current_node": "a", "mapping": ring}])

    assert len(read_rows("chats", path, subject_id="ada")) == 2
