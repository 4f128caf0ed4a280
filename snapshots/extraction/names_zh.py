"""Whether what Chinese rules cut out is a name, by its words: no piece of a clause, no pointing, no judgment."""

import re
from collections.abc import Sequence

from snapshots.extraction.phrases_zh import PLAIN
from snapshots.extraction.words_zh import Word, begins_inside, words_at

_POINTING_WORDS = """
这 那 这个 那个 这种 那种 这样 那样 这些 那些 这么 那么 此 该 我 你 您 他 她 它 我们 你们 他们 她们 它们 自己 大家
别人 什么 怎么 如此 这里 那里 这儿 那儿 这本 这家 本人 某 其 其中 其他 其它 其余
"""
_POINTING = frozenset(_POINTING_WORDS.split())
_CLAUSAL_WORDS = """
是 有 没有 没 让 把 被 使 觉得 感觉 可以 能 会 应该 就是 不是 还是 也是 才 就 都 也 却 已经 已 正在 能够 可 需要
必须 要 说 喜欢 在 从 跟 与 因为 所以 但 而且 很 太 非常 挺 比较 十分
"""
_CLAUSAL = frozenset(_CLAUSAL_WORDS.split())
"""Words that stand in clauses: a name holds none."""
_ENDS_NO_NAME = _CLAUSAL | frozenset(("一直", "始终", "基本", "根本", "先", "再", "又", "还"))
_JOINING = ("p", "c", "ul", "uz", "ug", "ud", "uv", "y", "e", "o")
_GRAMMAR = re.compile(r"limit|_hours|_time|habits|length|language|tone|temperature|size|style|diet|traits|budget")
"""Keys whose values are amounts, hours or manners, and name nothing."""
_MANNER = re.compile(r"length|language|tone|style")
_COUNTED = re.compile(r"[\d一二两三四五六七八九十几第半]|^全部$")
_ATTRIBUTE_WORDS = """
质感 文笔 性格 风格 排版 外观 设计 服务 环境 态度 手法 插图 内容 感觉 语言 情感 形象 角色 回复 手感 logo 声音 颜色
样子 印刷 包装 方式 过程 故事 结局 写法 描写 画风 剧情
"""
_ATTRIBUTES = tuple(_ATTRIBUTE_WORDS.split())
_ATTRIBUTE_OF = re.compile(rf"的[^的]{{0,2}}(?:{'|'.join(_ATTRIBUTES)})$")
_ATTRIBUTE = frozenset((*_ATTRIBUTES, "情节", "画面", "类型", "作家", "地方", "真实感", "位置"))
"""Sides of a thing: who praises them speaks of the book or the room at hand."""
PROPER = ("nr", "nz", "ns", "eng", "nt", "nrt")
"""Kinds of words that are names of somebody, a place or a make."""
_WIDE = frozenset((*_ATTRIBUTE, "酒店", "宾馆", "房间", "餐厅"))
_PARTS = 2


def is_name(quote: str, values: Sequence[str], replaces: str, *, sort: str, key: str) -> bool:
    """Return whether all of ``values`` (and what they replace) may be names as they stand in ``quote``."""
    if not _MANNER.search(key) and any(begins_inside(quote, value) for value in (*values, replaces)):
        return False
    if sort in {"tag", "profile"}:
        heads = [words_at(quote, value)[0].kind for value in values if value and value in quote]
        return not any(kind in (*_JOINING, "uj") for kind in heads)
    if sort == "change" or _GRAMMAR.search(key):
        return True
    return all(_names(words_at(quote, value), value) for value in values if value)


def _names(words: Sequence[Word], value: str) -> bool:
    first, last = words[0], words[-1]
    if re.search(r"[“”\"(:]", value) or _points(words):
        return False
    if first.kind in (*_JOINING, "uj", "f") or first.text in _CLAUSAL:
        return False
    if len(words) > 1 and (last.kind in _JOINING or last.text in _ENDS_NO_NAME):
        return False
    if len(words) > 1 and any(word.text in _CLAUSAL for word in words):
        return False
    if all(word.kind in {"m", "q", "f"} for word in words) and _COUNTED.search(value):
        return False
    return not _judges(words, value)


def _points(words: Sequence[Word]) -> bool:
    """这家, 我的: what is meant is in sight. 有机鸡蛋 of 盒马那个有机鸡蛋 is named all the same."""
    named = words[0].kind.startswith("n")
    return any(
        word.text in _POINTING
        and (word is words[0] or not (named and word.text.startswith("那") and not word.text.endswith("么")))
        for word in words
    )


def _judges(words: Sequence[Word], value: str) -> bool:
    """速度一般, 差距很大: a noun and what it is like are a clause; 冻柠茶少甜 is an order."""
    named = any(word.kind.startswith("n") for word in words[:-1])
    return named and words[-1].kind in {"a", "z", "zg"} and value[-1] not in PLAIN


def is_part_of_a_thing(value: str, words: Sequence[Word]) -> bool:
    """Return whether ``value`` is a side of something at hand: 作者的文笔, 酒店环境; ThinkPad的设计 has a name."""
    if any(word.kind in PROPER for word in words):
        return False
    return _ATTRIBUTE_OF.search(value) is not None or (len(words) <= _PARTS and words[-1].text in _ATTRIBUTE)


def is_too_wide(value: str) -> bool:
    """Return whether ``value`` is a mere kind of place or a side of a thing, which nobody shuns for good."""
    return value in _WIDE


def is_no_side(words: Sequence[Word], side: str, *, spoken: bool) -> bool:
    """Return whether ``side`` of a change is a piece of a clause: 所以活动, 十分的艳丽.

    ``spoken``: in a short turn, or of the speaker; then only its ends are looked at.
    """
    head, tail = words[0], words[-1]
    if head.kind == "c":
        return True
    if spoken:
        return False
    if head.kind in _JOINING or head.text in _CLAUSAL - {"在", "要", "从"} or tail.kind in {"c", "p"}:
        return True
    if re.search(r"\d|点|[一二三四五六七八九十]", side):
        return False
    described = len(words) > _PARTS and any(word.kind == "uj" for word in words)
    return described or any(word.kind in {"d", "c", "zg"} for word in words)
