"""How likely words ask not to keep something, read by a small linear model beside the patterns: no vectors.

It was taught by ``python -m tests.golden.teach_orders``; ``orders.json`` says by what. What it finds names a thing by
the words that are left of it; an order that leaves none points at what was said.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_platform.kernel.linear_model import Float32, LinearReader
from snapshots.understanding.correcting.reader import hashed
from snapshots.understanding.reading.forms import matching_form

WEIGHTS = Path(__file__).with_name("orders.json")
_WORDS = Path(__file__).with_name("order_words.toml")
ORDER, OTHER = "order", "other"
SLOTS, _LENGTH = 8_192, 4.0
LONGEST_RUN = 4
"""Parts of a message that one order may run over: "I told you of my brother. Take that off, please"."""
MOST_PARTS = 48
LONGEST_PART = 240
_MAY_ORDER = re.compile(
    r"forg|delet|eras|remember|repeat|memor|confiden|record|secret|\b(?:wip|purg|priva|person|between|stor|sav|keep|kept|"
    r"retain|remov|drop|hear|pretend|not|log|hold|los[et]|scrub|scra[tp]|strik|bin|toss|chuck|clear|redact|cross|undo|un|"
    r"take|out|leave|let|rid|gone|go|vanish|disappear|trace|books|slip|blank|disregard|withdraw|burn|throw|cut|don't|act|"
    r"consider|flush|ditch|word|breathe|hat|stays?|ears)|忘|删|清|抹|撤|别|不|甭|勿|莫|当|密|私|收回|去掉|移除|拿|消|丢|扔|留|"
    r"存|弄|唔|划|剪|作废|装|没听|没说|没提|左耳|焚|剔除|隐去|烧|听完|听过|烂|打住|翻篇|嘴|走|出去",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d+|[\u3400-\u9fff]|[?!,.;:-]")
_CLASSED = re.compile(r"#[\w]+|[a-z]+(?:['-][a-z]+)*|\d+|[\u3400-\u9fff]|[?!,.;:-]")
_LATIN = re.compile(r"[a-z0-9]+(?:['-][a-z]+)*")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_EACH_NAME = re.compile(r"\b(?:and|or)\b|[,/]|[、]")
_MOST_NAME = 80

UNSAID_FROM = 0.94
"""The least share of words of which none forgets, keeps secret, or is denied to keep: such an order must be surer."""

KIN = frozenset("爸妈爹娘哥弟姐妹儿女夫妻婆公爷奶姨叔舅侄孙娃媳婿狗猫")
"""Characters that say alone who somebody is."""

# Ways of asking to forget in which no word forgets and none that keeps is denied.
_GOES = re.compile(
    r"\b(?:vanish|disappear|(?:that|it|this|please) gone|gone (?:that|it|please)|repeat"
    r"|(?:take|leave|lose|lost|burn|flush|undo|withdraw) (?:that|it|this|those)\b|un-know|unsaid|"
    r"(?:lose|drop|ditch|burn|cut|blank|undo|withdraw|throw away|take|get rid of|leave) "
    r"(?:what i|(?:that|the|my|those) .{0,24}(?:\b(?:about|with|on|off|out)\b|$))"
    r"|(?:thing|part|story|bit|stuff) (?:with|about)\b.{1,60}\b(?:drop|lose|cut) (?:that|it|this|them)"
    r"|stays? (?:out of (?:there|it|this|your|everything)|in this chat|between)|(?:out of|off|from) (?:your|my|the) "
    r"(?:memory|file|profile|notes|records?)|in your memory|get (?:that|it|this|her|his|my) .{0,30}out of"
    r"|(?:pretend|act like|act as if) (?:that )?(?:i|you) (?:never|didn't|had)|you never heard"
    r"|consider (?:that|it|this) |slips? your mind|between (?:us|you and me|ourselves)|off (?:the )?record"
    r"|(?:this|that) goes nowhere|not a word (?:of|about)|breathe a word|under your hat|nobody's ears"
    r"|(?:don't|do not|dont) (?:\w+ )?(?:write|carry|pass|put|bring|tell anyone)"
    r"|(?:that|this|it) (?:can't|doesn't|shouldn't) (?:be|sit|belong) in)"
    r"|(?:当|装)(?:作|成|做)?(?:是)?(?:我|你|您)?(?:从来?|刚才|刚刚|就|完全|根本)?(?:没|不知道|空气|耳[旁边]风)|全当|权当|没这回事"
    r"|没听[见到过]|没(?:说|讲|提|发)过?这|(?:别|不要?|不用|甭)(?:再)?(?:写进|写下|往外|外传|外说|声张|到处|传出|出现|带出|告诉|跟.{1,4}[说讲提]"
    r"|再提|提了|给别人|有)|左耳|右耳|[看阅听聊说]完?(?:就|即)(?:清|忘|焚|扔|算)|剔除|隐去|作废|划掉|划了|烧掉|剪掉|弄走|拿走|消掉|统统不要"
    r"|烂.{0,3}肚|打住|到此为止|翻篇|收回|只留在|嘴.{0,2}严|带进(?:棺材|土)|咽(?:下去|回)|清(?:$|出去)|不作数|不算数"
)
_OUTRIGHT, _KEEPING = frozenset({"#forget", "#private"}), frozenset({"#keep", "#said", "#memory"})

Run = tuple[int, int]


def runs_of(form: str, parts: Sequence[Run]) -> Iterator[Run]:
    """Yield the runs of neighbouring ``parts`` of a message that may be an order."""
    read = parts[:MOST_PARTS]
    for place, (start, _) in enumerate(read):
        for _, end in read[place : place + LONGEST_RUN]:
            if end - start > LONGEST_PART:
                break
            if _MAY_ORDER.search(form, start, end):
                yield start, end


def may_order(form: str) -> bool:
    """Return whether a message holds a word that orders to forget hold; most messages cost this one search."""
    return _MAY_ORDER.search(form) is not None


def order_share(text: str) -> float:
    """Return how likely ``text``, with the question mark behind it, asks not to keep something."""
    share = order_reader().shares(features(text))[ORDER]
    return share if share >= UNSAID_FROM or _speaks_of_keeping(matching_form(text).lower()) else 0.0


def least_share() -> float:
    """Return the share from which on words of a message are an order."""
    return order_reader().least[ORDER]


def _speaks_of_keeping(form: str) -> bool:
    classes = {word for word in _classed(form) if word.startswith("#")}
    return bool(classes & _OUTRIGHT or ("#not" in classes and classes & _KEEPING) or _GOES.search(form))


@cache
def order_reader() -> LinearReader:
    """Return the reader as it was taught."""
    return LinearReader.read(WEIGHTS)


def features(text: str) -> Float32:
    """Return the numbers that a text is read by, shape (8192,): its words, their classes, and the classes alone."""
    return hashed(_parts_of(text), SLOTS, _LENGTH)


def _parts_of(text: str) -> Iterator[str]:
    form = re.sub(r"\d+", "0", matching_form(text).lower())
    yield from _grams(["^", *_TOKEN.findall(form), "$"], 3, "")
    classed = ["^", *_classed(form), "$"]
    yield from _grams(classed, 4, "c:")
    yield from _grams([one for one in classed if one[0] in "#^$?"], 4, "k:")


def _grams(words: Sequence[str], longest: int, mark: str) -> Iterator[str]:
    for length in range(1, longest + 1):
        yield from (mark + "_".join(words[at : at + length]) for at in range(len(words) - length + 1))


def _classed(form: str) -> list[str]:
    """Return the words of a text, each that has a class by its class."""
    known = _classes()
    marked = known.chinese.sub(lambda found: f" #{known.chinese_names[(found.lastindex or 1) - 1]} ", form)
    return [f"#{known.english[word]}" if word in known.english else word for word in _CLASSED.findall(marked)]


def names_of(text: str) -> list[str]:
    """Return the things that an order names: what is left of its words, a thing each; nothing where it only points."""
    form = matching_form(text).lower()
    known = _classes()
    found: list[str] = []
    for piece in _EACH_NAME.split(known.idle_chinese.sub(" ", known.chinese.sub(" ", form))):
        words = [word for word in _LATIN.findall(piece) if word not in known.idle_english]
        chinese = [run for run in _HAN_RUN.findall(piece) if len(run) > 1 or run in KIN]
        if words or chinese:
            found.append(" ".join([*words, *chinese])[:_MOST_NAME])
    return found


@dataclass(frozen=True, slots=True)
class _Classes:
    """The table of words: ``english`` by word, ``chinese`` with the class as the group that matched."""

    english: Mapping[str, str]
    chinese: re.Pattern[str]
    chinese_names: Sequence[str]
    idle_english: frozenset[str]
    idle_chinese: re.Pattern[str]


@cache
def _classes() -> _Classes:
    held = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    english = {word: name for name, words in held["en"].items() for word in words.split()}
    return _Classes(
        english,
        re.compile("|".join(f"({words})" for words in held["zh"].values())),
        list(held["zh"]),
        frozenset({*held["idle"]["en"].split(), *english}),
        re.compile(held["idle"]["zh"]),
    )
