"""Logs of chats are read by turns, in text and in JSON lines; other texts are not taken for chats. Rows: K2."""

import json

import pytest

from snapshots.knowledge.errors import UnreadableDocumentError
from snapshots.knowledge.reading import read_document
from snapshots.knowledge.values import BlockKind

PHONE = "12/05/24, 10:02 PM - Tom Hill: hi\n12/05/24, 10:03 - Ann: ok: sure\nTom Hill: https://x.example\nAnn: bye"
DESK = "[2024-05-01 10:02] 客服：您好？\n王小明：我想退货。\n衣服太大。\n\n[10:03] 客服：好的。\n5月1日 王小明：谢谢"
AGENT = "Chat of Monday\n\nuser: hi\n\nassistant: A list:\n\n- a\n- b\n\nand that is all of it.\n\nuser: thanks"


def list_turns(text: str, content_type: str = "text/plain") -> list[tuple[str, str]]:
    document = read_document(text.encode(), content_type)
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)
    return [(one.speaker, one.text) for one in document.blocks if one.kind is BlockKind.TURN]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PHONE, ["Tom Hill", "Ann", "Tom Hill", "Ann"]),
        (DESK, ["客服", "王小明", "客服", "王小明"]),
        (AGENT, ["user", "assistant", "user"]),
    ],
)
def test_each_turn_of_a_text_is_a_block_with_its_speaker(text: str, expected: list[str]) -> None:
    turns = list_turns(text)
    assert [speaker for speaker, _ in turns] == expected
    assert all(f"{speaker}:" in turn.split("\n")[0] for speaker, turn in turns)


def test_lines_without_a_name_belong_to_the_turn_before() -> None:
    assert list_turns(DESK)[1] == ("王小明", "王小明:我想退货。\n衣服太大。")
    assert list_turns(AGENT)[1][1].endswith("- a\n- b\n\nand that is all of it.")


@pytest.mark.parametrize(
    "text",
    [
        "Note: a\nWarning: b\nNote: c\nWarning: d\nIt goes on\nand on\nand on\nand on\nand on",
        "name: Ada\nage: 3\nname: Bo\nage: 4",
        "Format: 1.0\nFiles: *\nCopyright: Ada\nFiles: a\nCopyright: Bo\nLicense: MIT",
        "Q: How long?\nA: Three days.\nQ: How much?\nA: Nothing.",
        "问：多久到货？\n答：三天。\n问：多少钱？\n答：免费。",
        "Ada: I speak alone.\nAda: Always.",
        "\n".join(["A chapter of prose."] * 6) + "\nAda: hi\nBo: hi\nAda: so\nBo: so",
    ],
)
def test_other_texts_are_no_chats(text: str) -> None:
    assert list_turns(text) == []


def test_json_lines_of_roles_are_turns() -> None:
    rows = [
        {"role": "user", "name": "小明", "content": "我想退货。", "section": "Monday"},
        {"role": "assistant", "content": [{"type": "text", "text": "One."}, {"type": "image"}], "section": "Monday"},
        {"role": "assistant", "content": None, "tool_calls": [{}], "section": "Monday"},
        {"role": "user", "content": "Thanks", "section": "Tuesday"},
    ]
    text = "\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    assert list_turns(text, "application/x-ndjson") == [
        ("小明", "小明: 我想退货。"),
        ("assistant", "assistant: One."),
        ("user", "user: Thanks"),
    ]
    paths = [block.heading_path for block in read_document(text.encode(), "application/x-ndjson").blocks]
    assert paths == [("Monday",)] * 3 + [("Tuesday",)] * 2


def test_questions_that_have_a_role_stay_questions() -> None:
    text = '{"question": "How long? 多久?", "answer": "Three days.", "role": "staff"}'
    (block,) = read_document(text.encode(), "application/x-ndjson").blocks
    assert (block.kind, block.text) == (BlockKind.QUESTION_AND_ANSWER, "How long? 多久?\nThree days.")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"question": "a", "answer": "b"}', "Line 2 does not have `role` and `content`"),
        ('{"role": "user", "content": 3}', "Line 2 does not have `role` and `content`"),
        ('{"role": " ", "content": "a"}', "Line 2 has an empty `role`"),
        ('{"role": "user", "content": "a", "section": 1}', "Line 2 has a `section` that is no text"),
    ],
)
def test_a_line_that_is_no_turn_is_named(line: str, fault: str) -> None:
    with pytest.raises(UnreadableDocumentError, match=fault):
        list_turns(f'{{"role": "user", "content": "a"}}\n{line}', "application/x-ndjson")
