"""What makes no held note doubtful: the same said again, other people, likeness to what is vital. Rows: P4, G4."""

import pytest

from snapshots.understanding.changes.change_words import load_state_patterns
from snapshots.understanding.changes.ending_classifier import EndingEffect, classify_effects, only_ends_last_note
from snapshots.understanding.changes.mentioned_people import SELF, is_about_stranger
from snapshots.understanding.changes.sentence_note_features import NoteText, SaidSentence, list_pair_texts
from snapshots.understanding.changes.unchanged_notes import is_unaffected, repeats_note
from snapshots.understanding.grading.sentence_vectors import embed_sentences
from snapshots.understanding.reading.text_folding import fold_for_matching


def effects(said: str, *held: NoteText, change: float = 0.5) -> list[EndingEffect]:
    sentence = SaidSentence(said, change=change)
    judged = classify_effects(sentence, held, range(len(held)), embed_sentences(list_pair_texts(sentence, held)))
    return [one.effect for one in judged if one.effect is not EndingEffect.RETELLS]


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("I love hiking in the mountains", "I really love hiking in the mountains!"),
        ("I'm allergic to peanuts, my throat closes", "I told you that I'm allergic to peanuts"),
        ("I play the cello", "I still play the cello"),
        ("I can't stand coriander", "As I said before, I can't stand coriander"),
        ("My office is in Lyon", "My office is in Lyon, near the station"),
        ("我喜欢爬山", "我真的特别喜欢爬山"),
        ("我对花生过敏", "我跟你说过我对花生过敏"),
        ("我每天早上跑步", "我一直每天早上跑步"),
    ],
)
def test_a_repetition_doubts_nothing(held: str, said: str) -> None:
    assert repeats_note(said, held)
    assert effects(said, NoteText(held)) == []


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("I love hiking", "I don't love hiking"),
        ("I love hiking", "I no longer love hiking"),
        ("The class is at 5", "The class is at 6"),
        ("I drink coffee", "I drink tea"),
        ("我喜欢爬山", "我不喜欢爬山了"),
        ("我喜欢喝咖啡", "我改喝茶了"),
        ("会议在3点", "会议在4点"),
    ],
)
def test_another_saying_is_no_repetition(held: str, said: str) -> None:
    assert not repeats_note(said, held)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("I live at 12 Mill Lane", "He lives at 4 Pine Road"),
        ("I'm vegetarian", "She's vegan now"),
        ("我住在杭州滨江区", "他住在北京"),
        ("我住在杭州滨江区", "小王住在北京朝阳区"),
        ("我在银行上班", "她现在在学校上班"),
    ],
)
def test_what_is_told_of_others_doubts_nothing_of_the_user(held: str, said: str) -> None:
    assert is_about_stranger(said, held, SELF, before="And where do you live?")
    assert effects(said, NoteText(held)) == []


def test_what_is_told_of_whom_a_note_names_may_end_it() -> None:
    assert not is_about_stranger("He moved to Austin", "My brother lives in Boston", SELF, before="")
    assert not is_about_stranger("I moved to Austin", "I live in Boston", SELF, before="")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("Karthik is my brother", "My brother moved to Austin"),
        ("My son is called Theo", "Theo has switched to the tuba"),
        ("我儿子叫乐乐", "我儿子现在转学到二中了"),
    ],
)
def test_news_of_somebody_doubt_not_who_they_are(held: str, said: str) -> None:
    assert effects(said, NoteText(held), change=0.9) == []
    assert not is_unaffected(SaidSentence("Karthik and I broke up"), NoteText(held))


@pytest.mark.parametrize(
    ("held", "said", "is_another"),
    [
        ("My home is at 9 Cedar Court", "My office is at 15 Pine Street.", True),
        ("My home is at 9 Cedar Court", "My new place is at 15 Pine Street.", False),
        ("我家在文三路88号", "我公司在人民路110号", True),
        ("我家在文三路88号", "我家现在住在人民路110号", False),
    ],
)
def test_the_address_of_one_place_says_nothing_of_another(held: str, said: str, is_another: bool) -> None:
    assert is_unaffected(SaidSentence(said), NoteText(held)) == is_another


@pytest.mark.parametrize(
    ("held", "said"),
    [("我住在杭州滨江区", "我出差住全季酒店"), ("I stay at the Hilton", "When I travel I stay at hostels")],
)
def test_what_holds_on_trips_says_nothing_of_home(held: str, said: str) -> None:
    assert is_unaffected(SaidSentence(said), NoteText(held)) == ("travel" not in held)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (
            "I can't have tree nuts, I carry an EpiPen",
            "My birthday party is on 10 November and there will be a nut cake",
        ),
        ("I'm allergic to peanuts, my throat closes", "I eat peanut butter toast with my kids on Sundays now"),
        ("我对花生过敏,随身带肾上腺素笔", "我现在每天随身带一瓶水"),
        ("我对海鲜过敏", "我们周末去海鲜市场逛逛,现在海鲜便宜"),
    ],
)
def test_no_likeness_doubts_an_allergy(held: str, said: str) -> None:
    assert effects(said, NoteText(held, vital_class="allergy"), change=0.9) == []


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (
            "The doctor saw my blood pressure, so it's lisinopril for me now, one every morning",
            "Dr. Batiste took me off the lisinopril, I was coughing like an old Buick",
        ),
        ("Type 2 diabetes, metformin 500 twice a day", "A1C came back 7.4, so now the metformin is 1000 twice a day"),
        ("我有糖尿病,医生给我开的二甲双胍一天两道", "医生给我换药了 二甲双胍不吃了 换成达格列净"),
        ("我哮喘有点冒头,信必可一天两吸早晚", "去复查了,吸入器改成只晚上一次,早上那次不用了"),
    ],
)
def test_another_medicine_or_dose_doubts_the_one_before(held: str, said: str) -> None:
    (found,) = effects(said, NoteText(held, vital_class="illness"), change=0.9)
    assert found != EndingEffect.RETELLS


def test_a_named_old_value_and_another_dose_may_doubt_what_is_vital() -> None:
    held = NoteText("I take metformin 500 mg", vital_class="illness")
    (found,) = effects("The doctor changed metformin to 1000 mg", held, change=0.9)
    assert found in (EndingEffect.DOUBTS, EndingEffect.ENDS_PART)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("The lambs go on the boat to Aberdeen on the 23rd", "The boat to Aberdeen is moved to the 30th"),
        ("My proposal draft is due on October 23", "The proposal draft was shifted to November 6"),
        ("瑜伽课在周二晚上", "瑜伽课改到周五晚上了"),
    ],
)
def test_another_figure_of_the_same_thing_ends_a_note(held: str, said: str) -> None:
    assert effects(said, NoteText(held)) == [EndingEffect.ENDS]


@pytest.mark.parametrize(
    ("said", "held", "ends"),
    [
        ("不是,我现在不喜欢了", "我喜欢蓝山咖啡", True),
        ("已经不喝了", "我每天喝拿铁", True),
        ("no, I don't like it any more", "I like sushi", True),
        ("我不喜欢茶了", "我喜欢蓝山咖啡", False),
        ("我现在不喜欢了", "我不喜欢香菜", False),
        ("I don't like Mondays now", "I like sushi", False),
        ("I don't drink it any more", "I like sushi", False),
    ],
)
def test_a_bare_end_is_of_what_was_just_told(said: str, held: str, ends: bool) -> None:
    assert only_ends_last_note(said, held) is ends


@pytest.mark.parametrize(
    "text",
    [
        "I cancelled the taxi",
        "I cancelled Tuesday",
        "I gave up waiting",
        "I stopped at the shop",
        "I quit the app to restart it",
        "I cut the cake",
        "I switched to the left lane and then we crashed",
        "a single ticket please",
        "我不吃了",
        "我不吃饭了",
        "我不看这个了",
        "我吃完了",
        "他离婚吗",
        "换个台",
        "改成",
        "改天再说",
    ],
)
def test_what_is_of_the_moment_is_no_new_state(text: str) -> None:
    assert not load_state_patterns()["state"].pattern.search(fold_for_matching(text))
