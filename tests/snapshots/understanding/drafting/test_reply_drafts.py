"""What an assistant gave is kept in parts that stand alone, a few of a message, without echoes. Rows: C7."""

from snapshots.understanding.config import REPLYING
from snapshots.understanding.drafting.reply_drafts import choose_reply_parts
from snapshots.understanding.grading.assistant_reply_classifier import ReplyGrade
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading.clauses import split_reply_clauses
from snapshots.understanding.reading.text_folding import estimate_tokens


def parts(message: str, *given: tuple[str, float], told: tuple[str, ...] = ()) -> list[str]:
    spoken = SpokenMessage(message, tuple(split_reply_clauses(message)))
    grades = [ReplyGrade(*one) for one in given]
    return [message[one.start : one.end] for one in choose_reply_parts(spoken, grades, told)]


def test_marks_of_lists_and_headings_are_no_words() -> None:
    message = "# Ideas\n1. **Leek gratin**\n2. Lentil soup\n- Pad thai\n带伞;2. 水壶"
    assert [one.text for one in split_reply_clauses(message)] == [
        "Ideas",
        "Leek gratin",
        "Lentil soup",
        "Pad thai",
        "带伞",
        "水壶",
    ]


def test_lines_with_a_colon_are_no_dialogue() -> None:
    assert len(split_reply_clauses("Friday: the museum at ten\nSaturday: the ferry at noon")) >= 2


def test_a_sentence_is_kept_whole_where_one_of_its_clauses_is_worth_it() -> None:
    message = "您的航班号MU5137,明早八点起飞。祝您愉快。"
    assert parts(message, ("figure", 0.9), ("figure", 0.1), ("name", 0.1)) == ["您的航班号MU5137,明早八点起飞"]
    message = "If it drops under 50, or you feel faint, call your doctor. Take good care."
    kept = parts(message, ("figure", 0.1), ("figure", 0.2), ("recommendation", 0.9), ("name", 0.1))
    assert kept == ["If it drops under 50, or you feel faint, call your doctor"]
    assert parts(message, ("figure", 0.1), ("figure", 0.2), ("recommendation", 0.3), ("name", 0.1)) == []


def test_sentences_that_follow_each_other_are_one_part() -> None:
    message = "I'd recommend the Hotel Miramar. It costs 90 euros a night. The weather is lovely there."
    kept = parts(message, ("name", 0.9), ("figure", 0.8), ("name", 0.1))
    assert kept == ["I'd recommend the Hotel Miramar. It costs 90 euros a night"]


def test_parts_hold_sixty_tokens_and_a_few_stay() -> None:
    message = "。".join(f"第{n}家是湖边的老字号饭馆它们家的招牌菜是桂花糯米藕和东坡肉" for n in range(12))
    kept = parts(message, *((("name", 0.5 + n / 100)) for n in range(12)))
    assert len(kept) == REPLYING.replies
    assert all(estimate_tokens(one) <= REPLYING.tokens for one in kept)
    assert kept == sorted(kept, key=message.index)


def test_what_the_user_has_just_said_is_an_echo_but_a_promise_is_none() -> None:
    told = ("my home is 12 Elm Street, remind me at nine to call mum",)
    assert parts("Your home is 12 Elm Street.", ("figure", 0.9), told=told) == []
    assert parts("I remind you at nine to call mum.", ("promise", 0.9), told=told) != []
    assert parts("The gate code is 4471.", ("figure", 0.9), told=told) == ["The gate code is 4471"]
