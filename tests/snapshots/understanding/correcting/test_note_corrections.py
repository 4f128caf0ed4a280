"""A value that is put right gives way in the words of its note, in both languages. Rows: P4, P9, G4, E8."""

from datetime import timedelta

import pytest

from snapshots.erasure.conversations import delete_conversation
from snapshots.models import Conversation, Note, NoteSlot, Snapshot, SnapshotKind
from snapshots.understanding.changes.sentence_note_features import NoteText, SaidSentence
from snapshots.understanding.correcting.note_corrections import correct_matching_notes
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import MONDAY, say, settle

TUESDAY = MONDAY + timedelta(days=1)
RIGHTED = [
    ("Mia's pick-up is at 3:15 on school days", "It's 2:45 now, not 3:15", "Mia's pick-up is at 2:45 on school days"),
    ("I have choir on Wednesdays", "No sorry, not Wednesdays, Mondays", "I have choir on Mondays"),
    ("My flight to Oslo is on the 12th", "I meant the 14th", "My flight to Oslo is on the 14th"),
    ("The vet is booked for 3 June", "oops, the 5th of June", "The vet is booked for 5th of June"),
    ("Book club meets on the last Thursday", "Friday, not Thursday", "Book club meets on the last Friday"),
    ("We have two cats", "three cats, not two", "We have three cats"),
    ("My rent is £900 a month", "£950 not £900", "My rent is £950 a month"),
    ("I take 50mg of sertraline", "not 50mg, 25mg", "I take 25mg of sertraline"),
    ("Standup is at half past nine", "scratch that, quarter to ten", "Standup is at quarter to ten"),
    ("The cleaner comes on Fridays", "typo, Tuesday", "The cleaner comes on Tuesdays"),
    ("Judo is at 4pm on Mondays", "make that 5pm", "Judo is at 5pm on Mondays"),
    ("My locker is number 212", "it's 221, not 212", "My locker is number 221"),
    ("The tax man wants it by May 3rd", "sorry, May 13th", "The tax man wants it by May 13th"),
    ("Ring the plumber on 07700 900123", "wait no, 07700 900132", "Ring the plumber on 07700 900132"),
    ("The rehearsal moved to 18:30", "they said 18:45, not 18:30", "The rehearsal moved to 18:45"),
    ("I get up at 6 o'clock", "I meant 5 o'clock", "I get up at 5 o'clock"),
    ("Dad's birthday is 9 March", "not the 9th, the 19th", "Dad's birthday is 19th March"),
    ("My commute is 40 minutes", "my mistake, 50 minutes", "My commute is 50 minutes"),
    ("我2月1号去体检", "不是2月1号，是2月2号", "我2月2号去体检"),
    ("我每周三有瑜伽课", "打错了是周四", "我每周四有瑜伽课"),
    ("我妈的生日是5月3号", "不是3号，是13号", "我妈的生日是5月13号"),
    ("爸爸电话13800001111", "打错了，是13800002222", "爸爸电话13800002222"),
    ("我7点起床", "说错了，7点半", "我7点半起床"),
    ("我每天吃25毫克", "不是25毫克，是50毫克", "我每天吃50毫克"),
    ("房租每月3000元", "写错了，3200元", "房租每月3200元"),
    ("周六上午十点学画画", "不对，十一点", "周六上午十一点学画画"),
    ("女儿的家长会在15号", "抱歉，是16号", "女儿的家长会在16号"),
    ("我坐8点20分的班车", "是8点40分，不是8点20分", "我坐8点40分的班车"),
    ("我家住6楼", "记错了，是7楼", "我家住7楼"),
    ("我的工位是302号", "不是302号，是305号", "我的工位是305号"),
    ("星期二打扫卫生的阿姨来", "口误，星期五", "星期五打扫卫生的阿姨来"),
    ("婚礼定在十月三号", "不是三号是十三号", "婚礼定在十月十三号"),
    ("奶奶下午三点吃药", "更正一下，四点", "奶奶下午四点吃药"),
    ("每周跑步5公里", "搞错了，8公里", "每周跑步8公里"),
    ("我周一值班", "周一错了，是周二", "我周二值班"),
]
WORDS = [
    ("My sister lives in Leeds", "not Leeds, Luton"),
    ("I always sit at the front", "I prefer sitting at the back now, not the front"),
    ("I'm vegetarian", "I'm not vegetarian anymore, I eat fish"),
    ("My cat is called Miso", "It's Mochi, not Miso"),
    ("我在博世上班", "不是博世，是西门子"),
    ("我表姐叫王伟", "不是王伟，是王玮"),
    ("我喜欢靠窗的座位", "不要靠窗,要靠过道"),
]
"""Of a word and another one of no sort no sentence is made that nobody said."""
LEFT = [
    *WORDS,
    ("I swim on Tuesdays", "Can we do it Thursday, not Tuesday?"),
    ("I swim on Tuesdays", "This week I swim on Thursday, not Tuesday"),
    ("I have choir on Wednesdays", "Not Wednesday, I'm busy"),
    ("I have choir on Wednesdays", "The bins go out on Mondays, not Wednesdays"),
    ("The kids finish at 3:15", "Dinner is at 6:30, not 3:15"),
    ("My dad's birthday is 9 March", "My mum's is the 19th, not the 9th"),
    ("I take the 7:52", "Sorry, what's the weather at 9:00"),
    ("I take the 7:52", "If it were 8:10, not 7:52, I'd sleep longer"),
    ("My flight is on the 12th", "Sorry about that"),
    ("My flight is on the 12th at 9:40", "I meant two bags"),
    ("I'm allergic to peanuts since I was 7", "I meant the 14th"),
    ("I drink tea", "I'd like a window seat, not an aisle seat"),
    ("I live in Leeds", "not Leeds, I'm serious"),
    ("We have two cats", "one, not three"),
    ("Rehearsal from 3:00 to 5:00", "sorry, 4:00"),
    ("I earn 900 euros a week", "sorry, 20 minutes"),
    ("My nephew plays on Mondays", "My niece on Tuesday, not Monday"),
    ("The meeting is on Friday", "make it snappy"),
    ("I've run 5 km today", "I nearly ran 6 km, not 5 km"),
    ("My sister lives in Leeds", "not leeds, really not"),
    ("My brother works for Lindholm", "Not Lindholm any longer, I'm with Berg"),
    ("我弟在博世上班", "不是博世,我在西门子"),
    ("我每周三有瑜伽课", "今天改到周四"),
    ("我每周三有瑜伽课", "周四能不能去，不是周三？"),
    ("我每周三有瑜伽课", "垃圾是周四收，不是周三"),
    ("我7点起床", "不对，天气怎么样"),
    ("我7点起床，11点睡", "说错了，8点"),
    ("我妈5月3号生日", "我爸是13号，不是3号"),
    ("我对青霉素过敏，3号查的", "打错了，5号"),
    ("我住6楼", "抱歉打扰了"),
    ("我住6楼", "要是7楼不是6楼就好了"),
    ("房租3000元", "对不起，20分钟"),
    ("我在博世上班", "不是博世，是真的"),
    ("我喝咖啡", "不是我说的"),
    ("我周一值班", "这周二，不是周一"),
    ("爸爸电话13800001111", "不是吧"),
    ("女儿15号考试", "16号的票多少钱"),
    ("我坐8点20分的班车", "电影是8点40分，不是8点20分"),
    ("我家有两只猫", "一只，不是三只"),
    ("我们去大理过年", "不是大理的事"),
    ("我周六加班", "如果是周日，不是周六，我就去"),
    ("我跑5公里", "差点跑了8公里，不是5公里"),
]


def list_notes(house: House) -> list[str]:
    """Return the words of the notes that hold now."""
    with tenant_tx(house.tenant.id):
        rows = Snapshot.objects.filter(subject_id=house.subject.id, kind=SnapshotKind.NOTE, invalid_at__isnull=True)
        return list(rows.filter(retired_at__isnull=True).order_by("position").values_list("text", flat=True))


@pytest.mark.parametrize(("old", "said", "right"), RIGHTED)
def test_a_bare_correction_puts_the_turn_before_right(old: str, said: str, right: str) -> None:
    found = correct_matching_notes(SaidSentence(said), [NoteText("I like jazz"), NoteText(old)], [0, 1])
    assert [(one.place, one.text) for one in found] == [(1, right)]


@pytest.mark.parametrize(("old", "said"), LEFT)
def test_what_speaks_of_something_else_puts_nothing_right(old: str, said: str) -> None:
    vital_class = "allergy" if "allergic" in old or "过敏" in old else ""
    assert correct_matching_notes(SaidSentence(said), [NoteText(old, vital_class=vital_class)], [0]) == []


def test_what_was_said_long_ago_needs_what_is_wrong_and_something_that_tells_it() -> None:
    held = [NoteText("band practice is at quarter past 3 on Sundays"), NoteText("I have choir on Wednesdays")]
    (found,) = correct_matching_notes(SaidSentence("it's 2:45 now for practice, not quarter past"), held, [])
    assert found.text == "band practice is at 2:45 on Sundays"
    assert correct_matching_notes(SaidSentence("not Wednesdays, Mondays"), held, []) == []
    assert correct_matching_notes(SaidSentence("I meant Mondays"), held, []) == []


def test_of_two_notes_from_long_ago_neither_is_put_right() -> None:
    held = [NoteText("Mia's pick-up is at 3:15"), NoteText("The tram leaves at 3:15")]
    assert correct_matching_notes(SaidSentence("It's 2:45, not 3:15"), held, []) == []


@pytest.mark.parametrize(("old", "said", "right"), [RIGHTED[0], RIGHTED[1], RIGHTED[18], RIGHTED[19]])
def test_the_note_gives_way_and_forgetting_brings_it_back(world: World, old: str, said: str, right: str) -> None:
    acme = world.acme
    say(acme, "My sister lives in Cork", old)
    settle(acme)
    say(acme, said, at=TUESDAY)
    settle(acme)
    assert list_notes(acme) == ["My sister lives in Cork", right]
    with tenant_tx(acme.tenant.id):
        ended = Note.objects.select_related("snapshot__superseded_by").get(snapshot__text=old)
        assert ended.snapshot.superseded_by is not None
        assert ended.snapshot.superseded_by.text == right
    say(acme, said, at=TUESDAY)
    settle(acme)
    assert list_notes(acme) == ["My sister lives in Cork", right]


@pytest.mark.parametrize(("old", "said"), WORDS)
def test_other_words_end_the_note_and_are_one_of_their_own(world: World, old: str, said: str) -> None:
    say(world.acme, old)
    settle(world.acme)
    say(world.acme, said, at=TUESDAY)
    settle(world.acme)
    assert list_notes(world.acme) == [said]


def test_the_corrected_words_go_with_either_message(world: World) -> None:
    for forgotten, left in (("c1", []), ("c2", ["I take the 7:52 train"])):
        house = world.acme if forgotten == "c1" else world.globex
        say(house, "I take the 7:52 train", conversation="c1")
        settle(house)
        say(house, "it's 8:05 now, not 7:52", conversation="c2", at=TUESDAY)
        settle(house)
        assert list_notes(house) == ["I take the 8:05 train"]
        with tenant_tx(house.tenant.id):
            delete_conversation(Conversation.objects.get(subject_id=house.subject.id, external_id=forgotten))
        assert list_notes(house) == left


def test_another_tenant_puts_nothing_of_ours_right(world: World) -> None:
    say(world.acme, "I take the 7:52 train")
    settle(world.acme)
    say(world.globex, "it's 8:05 now, not 7:52")
    settle(world.globex)
    assert list_notes(world.acme) == ["I take the 7:52 train"]


def test_slots_that_the_correction_does_not_name_stay(world: World) -> None:
    acme = world.acme
    say(acme, "I'm allergic to peanuts and my train is the 7:52")
    settle(acme)
    say(acme, "it's the 8:05 now, not the 7:52", at=TUESDAY)
    settle(acme)
    assert sorted(list_notes(acme)) == ["I'm allergic to peanuts", "my train is the 8:05"]
    with tenant_tx(acme.tenant.id):
        links = NoteSlot.objects.filter(preference__isnull=False)
        slots = links.values_list("preference__key", "preference__value", "preference__invalid_at")
        assert list(slots) == [("allergies", ["peanuts"], None)]
