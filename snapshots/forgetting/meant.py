"""Which of the last things told an order to forget means: a choice among them by a few weighed numbers. Pure.

``python -m tests.golden.teach_meant`` taught the weights; ``meant.json`` holds them by name, and what taught them.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from snapshots.forgetting.told import is_said, words_of
from snapshots.understanding.grading.features import count_words
from snapshots.understanding.heard.forget_orders import ForgetOrder, refers_back
from snapshots.understanding.heard.turns import tells_something
from snapshots.understanding.reading.forms import matching_form

WEIGHTS = Path(__file__).with_name("meant.json")
FARTHEST = 5
"""User turns before an order that it may point at."""
MEANT_TOO = 0.4
"""Share from which on another than the likeliest is meant as well."""
_PLACES = ("own", "last", "far")
_SPELLED = "(?:one|two|three|four|five|six|seven|eight|nine|zero)"
# What a turn, or an order, speaks of: one row a number.
_SPEAKS_OF = {
    "number": rf"\d[\d.,:\s-]*\d|[零一二三四五六七八九十百千万两]{{2,}}|\b{_SPELLED}(?: \w+){{0,2}} {_SPELLED}\b",
    "money": r"\b(?:money|cash|loan|debt|ow(?:e|es|ing)|salary|pa(?:y|ys|id)|wage|bonus|euros?|dollars?|pounds?|grand|"
    r"quid|bucks|price|cost)\b|[$€£¥]|钱|块|[万千]|工资|借|欠|薪|贷|价|存款|奖金",
    "code": r"\b(?:code|pin|number|password|passcode|digits?|key|combination|account|card|plate)\b"
    r"|密码|号码|验证码|卡号|账号|钥匙|口令",
    "secret": r"\b(?:secret|confid\w*|private|between (?:us|you and me)|nobody|no one|don'?t tell|hasn'?t told|"
    r"haven'?t told|doesn'?t know|don'?t know|off the record|on the quiet|quietly|ashamed|embarrass\w*|confess\w*|"
    r"admit|guilty|behind|knows?|secretly)\b"
    r"|悄悄|偷偷|没告诉|没跟|别告诉|不知道|晓得|瞒|丢人|丢脸|说出来|跟你讲|跟你说|告诉你|私下|秘密|不许|不敢|心里话",
    "body": r"\b(?:pregnan\w*|doctor|clinic|hospital|scan|test|therap\w*|pills?|tablets?|medic\w*|cancer|depress\w*|"
    r"anxi\w*|diagnos\w*|surgery|drunk|drink\w*)\b|怀孕|医生|检查|医院|吃药|抑郁|焦虑|癌|手术|确诊|病",
    "love": r"\b(?:seeing|dating|sleep\w*|affair|crush|kiss\w*|divorc\w*|broke up|ex|cheat\w*|boyfriend|girlfriend|"
    r"love)\b|暗恋|出轨|离婚|谈恋爱|喜欢上|前任|相亲|分手|对象",
    "work": r"\b(?:job|interview\w*|offer|boss|manager|colleague|fired|quit\w*|resign\w*|redundan\w*|cv|resume|"
    r"promot\w*|leav\w*)\b|面试|跳槽|辞职|离职|裁|简历|领导|老板|同事|offer",
    "reason": r"\b(?:reads?|checks?|uses|sees?|looks?|phone|history|account|allowed|rules?|fired|kill|die|mortified|"
    r"screen|shar(?:es?|ing)|window|listens?|hears?|policy|law|inspect\w*|audit\w*)\b"
    r"|会看|查|看我|手机|账号|共用|听见|听到|规定|骂|笑|翻",
    "person": r"\b(?:he|she|him|her|they|his|man|woman|guy|bloke|lad|girl|boy)\b|[他她]|那人|那位|那个人",
}
# Where an order points.
_POINTS_AT = {
    "this": r"\b(?:this|these)\b|这",
    "that": r"\b(?:that|it|those)\b|那|它",
    "last": r"\b(?:last|just|just now|right now|second ago)\b|刚|上一|上面|最后|才",
    "earlier": r"\b(?:before|earlier|first|previous\w*|beginning|start|yesterday|other day|up there)\b"
    r"|之前|前面|前头|上头|头先|开头|早上|昨天|第一",
    "announces": r"\b(?:off (?:the )?record|about to|following|between us|keep this|but)\b"
    r"|下面|接下来|等会|我跟你(?:说|讲)|哈?[:：]",
    "all": r"\b(?:both|all|everything|either|two)\b|都|两|全|一起",
}
_REACTS = re.compile(
    r"^\W*(?:ok(?:ay)?|thanks?|thx|ta|good|great|right|done|sent|yes|yeah|yep|perfect|fine|got it|cheers|ugh|true|lol|"
    r"ha\w*|nice|no|nah|it is|it does|you're)\b|^\W*(?:好|嗯|行|谢|发了|写好|可以|收到|知道|对|没事|哈|懂|有道理|是)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?;。！？；…\n]")


@dataclass(frozen=True, slots=True)
class OrderedTurn:
    """The message of an order: the ``words`` of the order, what stands ``before`` and ``after`` it, and what the
    assistant had ``asked``."""

    order: ForgetOrder
    words: str
    before: str
    after: str
    asked: str = ""


def choose_meant(said: OrderedTurn, turns: Sequence[str]) -> list[int]:
    """Return what an order means: 0 its own message, 1 and more the ``turns`` before it, newest first; nothing where
    none of them tells anything."""
    rows = numbers_of(said, turns)
    weights = _weights()
    scores = (sum(weights.get(name, 0.0) * value for name, value in row.items()) for row in rows)
    return chosen_among([score if may_hold(row) else -math.inf for score, row in zip(scores, rows, strict=True)])


def chosen_among(scores: Sequence[float]) -> list[int]:
    """Return the places of what is meant by the scores of all places, the likeliest first."""
    if not np.isfinite(scores).any():
        return []
    raised = np.exp(np.asarray(scores) - np.max(scores))
    shares = raised / raised.sum()
    best = int(shares.argmax())
    return [best, *(place for place, share in enumerate(shares) if share >= MEANT_TOO and place != best)]


def may_hold(row: Mapping[str, float]) -> bool:
    """Return whether a turn of these numbers tells something, or holds a number or what the order names."""
    return bool(row["tells"] or row["number"] or row["named"])


def numbers_of(said: OrderedTurn, turns: Sequence[str]) -> list[dict[str, float]]:
    """Return the numbers of the order's own message and of each turn before it, by name."""
    near = [f"{said.before}\n{said.after}", *turns[:FARTHEST]]
    forms = [matching_form(text) for text in near]
    tells = [tells_something(text) for text in near]
    named = _named_shares(said.order, forms)
    ordered, around = dict(_order_numbers(said)), dict(_own_numbers(said))
    rows = []
    for place, form in enumerate(forms):
        spoken = {name: _holds(_SPEAKS_OF, name, form) for name in _SPEAKS_OF}
        row = {f"at_{at}": float(min(place, 3) == at) for at in range(4)}
        row |= {"tells": float(tells[place]), "long": math.log1p(count_words(form)), "asks": float(form.endswith("?"))}
        row |= {"named": named[place], "named_best": float(0 < named[place] == max(named))}
        row |= {"named_elsewhere": float(named[place] < max(named))}
        row |= {"told_before": float(min(2, sum(tells[1:place])))}
        row |= {"first_told": float(tells[place] and not any(tells[1:place]))}
        row |= {"only_told": float(tells[place] and sum(tells) == 1)}
        row |= spoken
        row |= {f"both_{name}": there * ordered[f"order_{name}"] for name, there in spoken.items()}
        row |= {"number_of_code": spoken["number"] * ordered["order_code"]}  # "forget that number"
        where = _PLACES[min(place, 2)]
        row |= {f"{where}_{name}": value for name, value in ordered.items()}
        row |= {f"{where}_tells": float(tells[place])}
        row |= around if place == 0 else {}
        rows.append(row)
    return rows


def _order_numbers(said: OrderedTurn) -> Iterator[tuple[str, float]]:
    """Yield what the order itself tells of where to look."""
    words = matching_form(said.words)
    yield from ((f"order_{name}", _holds(_SPEAKS_OF, name, words)) for name in _SPEAKS_OF)
    yield from ((name, _holds(_POINTS_AT, name, words)) for name in _POINTS_AT)
    yield "names", float(bool(said.order.names))
    yield "refers", float(said.order.refers or refers_back(words))
    yield "long_order", math.log1p(count_words(words))
    yield "answers", float(said.asked.rstrip().endswith(("?", "？")))


def _own_numbers(said: OrderedTurn) -> Iterator[tuple[str, float]]:
    """Yield what the words around an order, in its own message, tell."""
    before, after = matching_form(said.before).strip(), matching_form(said.after).strip()
    sentences = [one for one in _SENTENCE.split(before) if one.strip()]
    last = sentences[-1] if sentences else ""
    is_glued = bool(before) and not _SENTENCE.match(before[-1:])
    yield "before_tells", float(tells_something(before))
    yield "after_tells", float(tells_something(after))
    yield "before_reacts", float(_REACTS.search(before) is not None)
    yield "last_reacts", float(_REACTS.search(last) is not None)
    yield "glued", float(is_glued)
    yield "glued_tells", float(is_glued and tells_something(last))
    yield "opens", float(not before)
    yield "reacts_then_opens", float(len(sentences) == 1 and _REACTS.search(before) is not None)
    yield "after_colon", float(after[:1] in {":", ",", "-"})
    yield "after_opens", float(not before and tells_something(after))
    yield "before_words", math.log1p(count_words(before))
    yield "after_words", math.log1p(count_words(after))
    for name in _SPEAKS_OF:
        yield f"before_{name}", _holds(_SPEAKS_OF, name, before)
        yield f"after_{name}", _holds(_SPEAKS_OF, name, after)


def _named_shares(order: ForgetOrder, forms: Sequence[str]) -> list[float]:
    """Return what share of the words that an order names each text holds; a word of several texts counts less."""
    held = [words_of(form) for form in forms]
    wanted = {word for name in order.names for word in words_of(name)}
    among = {word: sum(is_said(word, own) for own in held) for word in wanted}
    return [sum(1 / among[word] for word in wanted if is_said(word, own)) / (len(wanted) or 1) for own in held]


def _holds(patterns: Mapping[str, str], name: str, form: str) -> float:
    return float(re.search(patterns[name], form, re.IGNORECASE) is not None)


@cache
def _weights() -> Mapping[str, float]:
    weights: Mapping[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return weights
