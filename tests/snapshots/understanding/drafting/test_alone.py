"""Each note stands alone: of one person, vital for its own words, with the question that it answers. Rows: P9, P10."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from snapshots.models import Message, MessageRole
from snapshots.understanding.drafting.note_drafts import NoteDraft, build_spoken_message, draft_message_notes
from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.statements.statements import HeardMessage


def draft_notes(text: str, asked: str = "") -> list[NoteDraft]:
    """Return the notes of a message that nobody stores, after a turn of the assistant's."""
    own = {"tenant_id": uuid4(), "subject_id": uuid4(), "conversation_id": uuid4(), "remember": True}
    said_at = datetime(2026, 11, 2, 9, tzinfo=UTC)
    previous = Message(id=uuid4(), role=MessageRole.ASSISTANT, content=asked, seq=1, said_at=said_at, **own)
    message = Message(id=uuid4(), role=MessageRole.USER, content=text, seq=2, said_at=said_at, **own)
    heard = HeardMessage(message, previous if asked else None)
    spoken = build_spoken_message(heard, frozenset())
    (grades,) = grade_messages([spoken])
    return draft_message_notes(heard, spoken, grades)


@pytest.mark.parametrize(
    ("message", "notes"),
    [
        (
            "im allergic to nuts and my wife is called jess and we live in leeds",
            [
                ("im allergic to nuts", "allergy", ""),
                ("my wife is called jess", "", "wife"),
                ("we live in leeds", "", ""),
            ],
        ),
        (
            "我叫李雷我对花生过敏我女朋友叫韩梅梅",
            [("我叫李雷", "", ""), ("我对花生过敏", "allergy", ""), ("我女朋友叫韩梅梅", "", "韩梅梅")],
        ),
        (
            "my daughter ella is 7 she cant eat gluten she goes to oak school",
            [("my daughter ella is 7 she cant eat gluten she goes to oak school", "allergy", "daughter")],
        ),
        ("im type 1 diabetic i live in hull", [("im type 1 diabetic", "illness", ""), ("i live in hull", "", "")]),
        ("我老婆怀孕了我每天陪她散步", [("我老婆怀孕了我每天陪她散步", "illness", "老婆")]),
    ],
)
def test_a_run_on_is_parted_by_whom_and_what_is_vital(message: str, notes: list[tuple[str, str, str]]) -> None:
    found = [(one.snapshot.text, one.details.vital_class, one.details.about_label) for one in draft_notes(message)]
    assert found == notes


@pytest.mark.parametrize(
    ("message", "note"),
    [
        ("昨天听了周杰伦的演唱会,我最喜欢的歌手就是他", "昨天听了周杰伦的演唱会,我最喜欢的歌手就是他"),
        (
            "Yesterday I had it black with two sugars, that's how I always have it",
            "Yesterday I had it black with two sugars, that's how I always have it",
        ),
        (
            "I'm moving to the flat, which is number 9, Kotare Rise",
            "I'm moving to the flat, which is number 9, Kotare Rise",
        ),
        ("jess and i got married in june", "jess and i got married in june"),
    ],
)
def test_what_only_points_back_joins_what_is_meant(message: str, note: str) -> None:
    assert [one.snapshot.text for one in draft_notes(message)] == [note]


@pytest.mark.parametrize(
    ("asked", "answer", "vital"),
    [
        ("Who is Callum, and what's his number?", "my partner. 905-555-0136", ""),
        ("Who should I call in an emergency?", "my sister. 905-555-0136", "emergency"),
        ("Who should I call if something happens?", "Callum, 905-555-0136", "emergency"),
        ("出事了该打给谁?", "我老婆。13800138000", "emergency"),
        ("紧急来电也拦吗?", "姥姥的别拦 其余全拦", ""),
        ("Which of your neighbours has a spare key?", "Ailsa. number 12", ""),
    ],
)
def test_an_answer_in_fragments_keeps_its_question(asked: str, answer: str, vital: str) -> None:
    (note,) = draft_notes(answer, asked)
    assert (note.snapshot.text, note.details.context, note.details.vital_class) == (answer, asked, vital)


@pytest.mark.parametrize(
    ("message", "label"),
    [
        ("我妈住在徐汇区宛平南路12号", "妈"),
        ("我女儿在实验小学上学", "女儿"),
        ("我妹妹在字节跳动上班", "妹妹"),
        ("My brother, who lives in Cork, loves sailing", "brother"),
        ("我同事小刘住在古墩路66号", "小刘"),
        ("我同事小张是四川人", "小张"),
        ("Theo's school is Maple Street", "Theo"),
        ("我和爸妈一起住在徐汇区", ""),
        ("Monday's good for the gym, every week", ""),
    ],
)
def test_a_note_is_of_whom_it_begins_with(message: str, label: str) -> None:
    assert [one.details.about_label for one in draft_notes(message)] == [label]
