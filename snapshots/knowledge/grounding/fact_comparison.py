"""Differences between a sentence and its evidence: a number, a name, a denial, an opposite. Pure."""

import re
from collections.abc import Iterator, Mapping, Set

from memory_platform.kernel.keyword_terms import split_terms, stem_words
from memory_platform.kernel.text import HAN, index_form
from snapshots.knowledge.grounding.claim_facts import ClaimFacts, count_undone, find_facts, find_opposites
from snapshots.knowledge.grounding.values import FactDifference

_PARENTHESES = re.compile(r"\([^()]{0,200}\)|（[^（）]{0,200}）")
_CLAUSE_END = re.compile(
    r"[,;:，；：—]|\b(?:but|because|since|although|which|unless|if|when|while|and|so)\b|但是?|因为|虽然|除非|如果|而|并且"
)
_UNIT_WORDS = {
    "byte": "byte bytes",
    "KB": "kb kib kilobyte kilobytes",
    "MB": "mb mib megabyte megabytes",
    "GB": "gb gib gigabyte gigabytes",
    "TB": "tb tib terabyte terabytes",
    "us": "us microsecond microseconds 微秒",
    "ms": "ms millisecond milliseconds 毫秒",
    "s": "s sec secs second seconds 秒 秒钟",
    "min": "min mins minute minutes 分钟",
    "h": "h hour hours 小时",
    "day": "day days 天 日",
    "week": "week weeks 周 星期",
    "month": "month months 个月 月",
    "year": "year years 年",
    "%": "% percent",
    "bit": "bit bits 位",
}
_UNITS = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
_UNIT_PATTERN = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
# Units that are named without a number, too: a text has one word for each size of a dimension.
_SIZES = (frozenset({"byte", "KB", "MB", "GB", "TB"}), frozenset({"us", "ms", "s", "min", "h"}))
_UNIT_ALONE = re.compile(
    r"\b(?:(?:kilo|mega|giga|tera)?bytes?|(?:milli|micro)?seconds|minutes|hours)\b|毫秒|微秒|分钟|小时"
)
# A number inside a word, as that of "V10", confirms one that stands alone.
_INSIDE = re.compile(r"(?<=[a-z])\d+")
_THING = re.compile(rf"[ -]?(?:个(?!月))?[ ]?({_UNIT_PATTERN}|[a-z]{{3,}}|[{HAN}]{{1,2}})(?![a-z])")


def compare_facts(claim: str, evidence: str, above: str = "") -> list[FactDifference]:
    """Return the differences between a sentence and its evidence. ``above`` is what stands before the evidence. A fact
    that only the evidence has is no difference, nor is a name that stands above, if the evidence names nothing else."""
    own, other = find_facts(claim), find_facts(evidence)
    return [
        *(list(_compare_numbers(claim, evidence, own, other)) or _compare_units(claim, evidence)),
        *_compare_names(evidence, index_form(above), own, other),
        *_compare_denials(claim, evidence),
        *(FactDifference("opposite", *pair) for pair in find_opposites(claim, evidence)),
    ]


def _compare_numbers(claim: str, evidence: str, own: ClaimFacts, other: ClaimFacts) -> Iterator[FactDifference]:
    inside = set(_INSIDE.findall(index_form(evidence)))
    counted, others = _find_counted_things(claim, own), _find_counted_things(evidence, other)
    for value, words in own.numbers.items():
        rest = [number for number in other.numbers if number not in own.numbers]
        instead = next((number for number in rest if _may_stand_for(counted[value], others[number])), "")
        if value not in other.numbers and value not in inside:
            yield FactDifference("number", words, other.numbers.get(instead, ""))
        elif (
            value in other.numbers
            and counted[value]
            and not counted[value] & others[value]
            and _is_other_thing(value, counted[value], others)
        ):
            yield FactDifference("number", _render_count(words, counted[value]), _render_count(words, others[value]))


def _may_stand_for(things: Set[str], others: Set[str]) -> bool:
    return not things or not others or bool(things & others)


def _is_other_thing(value: str, things: Set[str], others: Mapping[str, Set[str]]) -> bool:
    """Return whether the evidence has the number with another unit, or counts the same things by another number."""
    units = things & _UNIT_WORDS.keys()
    has_other_unit = bool(units) and bool(others[value] & _UNIT_WORDS.keys())
    return has_other_unit or any(things & held for number, held in others.items() if number != value)


def _render_count(words: str, things: Set[str]) -> str:
    return f"{words} {min(things)}" if things else words


def _find_counted_things(text: str, facts: ClaimFacts) -> dict[str, Set[str]]:
    """Return the word after each number of a text, by the number's value: units in one form, other words as stems."""
    form = index_form(text)
    found: dict[str, Set[str]] = {}
    for value, words in facts.numbers.items():
        behind = (_THING.match(form, match.end()) for match in re.finditer(re.escape(words), form))
        found[value] = frozenset(_UNITS.get(place[1]) or stem_words([place[1]])[0] for place in behind if place)
    return found


def _compare_units(claim: str, evidence: str) -> Iterator[FactDifference]:
    own, other = _find_units(claim), _find_units(evidence)
    for sizes in _SIZES:
        alone, others = sorted((own - other) & sizes), sorted((other - own) & sizes)
        if alone and others:
            yield FactDifference("number", alone[0], others[0])


def _find_units(text: str) -> frozenset[str]:
    return frozenset(_UNITS[word] for word in _UNIT_ALONE.findall(index_form(text)))


def _compare_names(evidence: str, above: str, own: ClaimFacts, other: ClaimFacts) -> Iterator[FactDifference]:
    form = index_form(evidence)
    instead = next((wording for key, wording in other.names.items() if key not in own.names), "")
    for name, words in own.names.items():
        is_above = not instead and _stands_in(name, above)
        if name not in _UNITS and not is_above and not _stands_in(name, form):
            yield FactDifference("name", words, instead)


def _stands_in(name: str, form: str) -> bool:
    before = "" if name.startswith((".", "-")) else "(?<![a-z0-9_])"
    after = "" if name.endswith("()") else "s?(?![a-z0-9_])"
    return bool(re.search(rf"{before}{re.escape(name.removesuffix('()'))}{after}", form))


def _compare_denials(claim: str, evidence: str) -> Iterator[FactDifference]:
    """Yield a difference if one of both denies and the other does not: both as a whole, and with the clauses of the
    evidence that have most of the sentence's words. Where both deny, their counts say nothing."""
    plain = _PARENTHESES.sub(" ", evidence)
    own = find_facts(_PARENTHESES.sub(" ", claim)).denials + count_undone(claim, evidence)
    undone = count_undone(evidence, claim)
    counts = (find_facts(plain).denials + undone, _count_denials_nearby(claim, plain) + undone)
    if all(_denies_otherwise(own, one) for one in counts):
        yield FactDifference("denial", claim if own else "", "" if own else evidence)


def _denies_otherwise(own: int, other: int) -> bool:
    return own % 2 != other % 2 and not (own and other)


def _count_denials_nearby(claim: str, evidence: str) -> int:
    terms = set(split_terms(claim))
    clauses = [clause for clause in _CLAUSE_END.split(index_form(evidence)) if clause.strip()]
    common = [len(terms & set(split_terms(clause))) for clause in clauses]
    most = max(common, default=0)
    near = zip(clauses, common, strict=True) if most else ((evidence, 0),)
    return sum(find_facts(clause).denials for clause, count in near if count >= most / 2)
