"""What an order to forget points at: the words beside it, a number, or what the last turns told. In the open scope."""

import re
from collections.abc import Iterable, Sequence

from snapshots.forgetting.near_turns import last_teaching, tells, with_answers, without_orders
from snapshots.forgetting.told import shares_secret, words_of
from snapshots.forgetting.values import Found
from snapshots.models import Message, MessageRole
from snapshots.understanding.grading.features import count_words
from snapshots.understanding.heard.forget_orders import ForgetOrder, refers_back
from snapshots.understanding.heard.turns import asks_about_memory, asks_something, tells_something
from snapshots.understanding.reading.forms import matching_form

_SENTENCE = re.compile(r"[.!?;。！？；…\n]")
_NUMBER = re.compile(r"\d[\d.,:\s-]*\d|[零一二三四五六七八九十百千万两]{2,}")
_THAT_NUMBER = re.compile(
    r"\b(?:that|the|this|those|these) (?:numbers?|figures?|digits?|amount|sum|balance)\b"
    r"|[那这](?:个|串|几个)?(?:数|号码)",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\b(?:this|these|off the record|about to|following|between us)\b|这|下面|接下来|等会", re.IGNORECASE
)
_REACTS = re.compile(
    r"^\W*(?:ok(?:ay)?|thanks?|thx|good|great|right|done|sent|yes|yeah|yep|perfect|fine|got it|cheers|ugh|true)\b"
    r"|\b(?:it|him|her|them|that)\b|^\W*(?:好|嗯|行|谢|发了|写好|可以|收到|知道|对了?$|没事)",
    re.IGNORECASE,
)
# Words (two Chinese characters count as one): a longer order holds what it means; a shorter sentence tells little.
_MOST_ORDER_WORDS, _FEW_WORDS = 18, 3
_IS_ABOUT_WHAT_WAS_SAID = re.compile(
    r"\b(?:keep|store|save|remember|memori[sz]e|note|record|write|retain|log)\b"
    r"|\b(?:that|this|it)\b(?!['\u2019]s| (?:is|was|stays?|remains)\b)"
    r"|记|存|保留|留着|[这那][件个]?事",
    re.IGNORECASE,
)


def find_pointed(message: Message, order: ForgetOrder, own: str, users: Sequence[Message]) -> Found:
    """Return what an order points at: what its own message tells, or the last turn that told something."""
    before = own[: order.start]
    meant = message if not refers(message, order) and _tells_itself(message, order, before) else None
    if meant is None:
        meant = last_teaching(users, stops=not order.refers and not order.names)
    if meant is None and tells_something(own):
        meant = message
    if meant is None:
        return Found()
    told = [message, *_spoken_of(before, users)] if meant is message else [meant]
    return Found(dict.fromkeys((*(one.id for one in told), *with_answers(told)), ()))


def refers(message: Message, order: ForgetOrder) -> bool:
    """Return whether an order speaks of what was said before it: "what I told you", 刚才说的."""
    return order.refers or refers_back(message.content[order.start : order.end])


def last_with_number(message: Message, order: ForgetOrder, before: str, users: Sequence[Message]) -> Message | None:
    """Return the newest message with a number, for an order that points at one: "forget that figure"."""
    sentence = _SENTENCE.split(before)[-1] + message.content[order.start : order.end]
    if not _THAT_NUMBER.search(matching_form(sentence)):
        return None
    said = ((message, before), *((turn, turn.content) for turn in users))
    return next((one for one, text in said if _NUMBER.search(matching_form(text))), None)


def _tells_itself(message: Message, order: ForgetOrder, before: str) -> bool:
    """Return whether a message holds what its own order means: in the words of the order, or right before them.

    A short sentence that only answers ("Sent it. Forget that") is not what is meant.
    """
    words = matching_form(message.content[order.start : order.end])
    if _NUMBER.search(words) or count_words(words) > _MOST_ORDER_WORDS:
        return True
    if not before.strip():
        return _ANNOUNCES.search(words) is not None and tells_something(message.content[order.end :])
    if not tells_something(before):
        return False
    sentence = next((one for one in reversed(_SENTENCE.split(before.rstrip())) if one.strip()), "")
    is_apart = _SENTENCE.match(before.rstrip()[-1:]) is not None
    return not (is_apart and (_REACTS.search(matching_form(sentence)) or count_words(before) < _FEW_WORDS))


def speaks_of(before: str, names: Iterable[str]) -> bool:
    """Return whether the words before an order tell of what it names: "my card is 880 212, lose that card"."""
    said = words_of(before)
    return tells_something(before) and any(said & words_of(name) for name in names)


def _spoken_of(before: str, users: Sequence[Message]) -> list[Message]:
    """Return the last turns of which the words right before an order speak: "the card isn't safe here, delete it"."""
    sentence = _SENTENCE.split(before)[-1]
    return [turn for turn in users if tells(turn) and shares_secret(sentence, turn.content, besides="")]


def refuses_an_answer(message: Message, order: ForgetOrder, turns: Sequence[Message]) -> bool:
    """Return whether weak words only refuse what the assistant has just asked: "Your age?" / "That's private." What
    speaks of keeping, or points back at what was said, is an order whatever was asked."""
    if order.names or order.refers or not turns or turns[0].role != MessageRole.ASSISTANT:
        return False
    if _IS_ABOUT_WHAT_WAS_SAID.search(matching_form(message.content[order.start : order.end])):
        return False
    asked = turns[0].content
    return (
        asks_something(asked) and not asks_about_memory(asked) and not tells_something(without_orders(message.content))
    )
