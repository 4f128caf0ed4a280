"""What holds from now on is kept as a note, with and without anything that it replaces. Rows: P4, P9, G4."""

from datetime import timedelta

import pytest

from memory_platform.kernel.ids import new_id
from snapshots.models import Conversation, Message
from snapshots.understanding.changes.ending_classifier import EndingEffect
from snapshots.understanding.changes.note_ending_sentences import find_changing_sentences
from snapshots.understanding.changes.notes_ended_by_messages import MessageEndings, ReadMessage
from snapshots.understanding.changes.predicted_endings import NoteEnding
from snapshots.understanding.changes.successor_notes import add_successor_notes
from snapshots.understanding.note_making import grade_and_draft_messages
from snapshots.understanding.statements.statements import HeardMessage
from tests.conftest import House, World
from tests.snapshots.understanding.changes.test_ends import list_texts
from tests.snapshots.understanding.making import MONDAY, say, settle

KEPT = [
    "FedEx from now on, not DHL",
    "I've started smoking again",
    "Window seat for me from now on",
    "From now on call me Robin",
    "I've taken up knitting again",
    "No more sugar, from today on honey",
    "Going forward it's the night bus for me",
    "Decaf from now on, doctor's orders",
    "Since we're broke it's own brand from now on",
    "I've started biting my nails again",
    "From now on lunch is at one",
    "I'm back to eating eggs again",
    "from now on the kids walk to school",
    "I've started stammering again",
    "Shoes size 44 from now on",
    "From now on no meat on Mondays",
    "The dog sleeps downstairs from now on",
    "Paper bills from now on",
    "I took up the piano again",
    "Oat milk from now on",
    "我又开始抽烟了",
    "以后用FedEx不用DHL",
    "以后别给我放情歌",
    "不能吃辣了",
    "儿子转学到二中了",
    "巴生路不走了走沿江路",
    "今后我走二环",
    "我又开始喝酒了",
    "从今天起喝无糖的",
    "没法跑步了,不能跑了",
    "以后叫我小林",
    "我又开始失眠了",
    "不能喝牛奶了",
    "以后早餐吃燕麦",
    "女儿转到三班了",
    "咖啡不喝了喝茶",
    "往后周末不加班",
    "以后送货放门口",
    "以后坐地铁上班",
    "地铁不坐了,改坐班车",
    "I'm divorced",
    "I'm single now",
    "I cancelled Netflix",
    "I cut out coffee completely",
    "I'd rather have seats at the front now, not the back",
    "烟戒了",
    "我戒烟了",
    "我们离婚了",
    "我不吃火锅了",
    "换成华为了",
    "改成喝美式吧",
    "我又吃猪肉了",
    "这条延安路太堵了,下次别走了",
]
NOT_KEPT = [
    "I cancelled the taxi",
    "我不吃了",
    "今天不喝酒了",
    "我取消了订单",
    "It rained again",
    "I dropped the cup again",
    "What should I drink from now on?",
    "If I quit I'd walk from now on",
    "The match started again late",
    "Say it again",
    "He might take the bus from now on",
    "Thanks, all good now",
    "I cancelled the gym",
    "I nearly started smoking again",
    "Just this once the window seat",
    "The phone is dead again",
    "Tonight I'm back to pizza again",
    "I sold the van",
    "I left my keys again",
    "Play it again please",
    "She thinks I've started smoking again",
    "maybe oat milk from now on",
    "The queue was long again",
    "Lovely weather now",
    "又下雨了",
    "电影又开始了吗",
    "要是以后住海边就好了",
    "健身房退了",
    "可能以后用FedEx",
    "今天不走高架了走地面",
    "以后再说吧",
    "差点又开始抽烟了",
    "不能再等了,今天就走",
    "以后怎么办?",
    "他又迟到了",
    "饿得不行了",
    "手机又没电了",
    "以后呢",
    "这次不坐地铁了坐公交",
    "狗卖了",
    "别人都说我又开始抽烟了",
    "打算以后吃素",
    "会开完了",
]


def kept_by_reader(text: str) -> list[str]:
    """Return the notes that a message makes whatever it changes."""
    return [draft.snapshot.text for draft in read_alone(text).drafts]


def read_alone(text: str) -> ReadMessage:
    """Return a message without a turn before it, graded."""
    subject, tenant = new_id(), new_id()
    message = Message(
        id=new_id(),
        tenant_id=tenant,
        subject_id=subject,
        conversation=Conversation(id=new_id(), tenant_id=tenant),
        role="user",
        content=text,
        seq=1,
        said_at=MONDAY,
        accepted_at=MONDAY,
        remember=True,
    )
    (read,) = grade_and_draft_messages([HeardMessage(message, None)], {subject: frozenset()})
    return read


def kept_of(text: str, *, ends: bool = False) -> list[str]:
    """Return the notes that a message makes that ends a held note, or nothing; first those that the reader finds."""
    read = read_alone(text)
    said = find_changing_sentences(read.spoken, read.grades)
    endings = tuple(NoteEnding(new_id(), EndingEffect.DOUBTS, one.start, one.end) for one in said if ends)
    (after,) = add_successor_notes([read], [MessageEndings(read.heard.message, endings)])
    return [draft.snapshot.text for draft in after.drafts]


@pytest.mark.parametrize("text", KEPT)
def test_what_holds_from_now_on_is_kept_with_nothing_held(text: str) -> None:
    assert kept_of(text) != []


@pytest.mark.parametrize("text", NOT_KEPT)
def test_what_is_over_asked_supposed_or_for_once_makes_no_note(text: str) -> None:
    assert kept_of(text) == kept_by_reader(text)


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("Theo has switched to the tuba", True),
        ("换成沿江路了", True),
        ("I cancelled the gym", False),
        ("健身房退了", False),
    ],
)
def test_what_ends_a_note_is_kept_where_it_says_what_holds_instead(text: str, *, is_kept: bool) -> None:
    assert bool(kept_of(text, ends=True)) is is_kept


def said_in(house: House, first: str, second: str) -> list[str]:
    """Return what holds after two messages of two days."""
    say(house, first)
    settle(house)
    say(house, second, at=MONDAY + timedelta(days=1))
    settle(house)
    return list_texts(house)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Always get me an aisle seat", "Window seat for me from now on"), ("我上班走巴生路", "巴生路不走了走沿江路")],
)
def test_the_new_value_takes_the_place_of_the_old_one(world: World, first: str, second: str) -> None:
    assert second in said_in(world.acme, first, second)
    assert list_texts(world.globex) == []
