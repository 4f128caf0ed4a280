"""Which tags a text means: exactly, by another name, or nearly. Pure, in English and Chinese.

"导航回家" means 家 and "call mum" means 妈妈; "大家好" means nobody's home and "homework" neither.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from memory_platform.kernel.text import to_comparable
from profiles import tag_label_words as lexicon
from profiles.config import TAG_LOOKUP
from profiles.models import Tag, TagKind
from profiles.services.tags.query_words import BREAK, TagWord, is_han, is_in_dictionary, split_words
from profiles.tag_label_words import SYNONYMS_OF

Match = Literal["exact", "alias", "fuzzy"]


@dataclass(frozen=True, slots=True)
class TagMatch:
    """A tag that a text may mean; ``score`` is 0..1, ``match`` the kind of match."""

    tag: Tag
    score: float
    match: Match


@dataclass(frozen=True, slots=True)
class _TagName:
    """One name of a tag, in comparable form, with the score of finding it."""

    text: str
    match: Match
    worth: float


@dataclass(frozen=True, slots=True)
class _LookupHit:
    """A match and the words of the query that it covers (None: all of them, or nearly)."""

    match: TagMatch
    span: tuple[int, int] | None = None


def lookup_tags(query: str, tags: Sequence[Tag], *, limit: int = TAG_LOOKUP.limit) -> list[TagMatch]:
    """Return at most ``limit`` of ``tags`` that ``query`` means, best first; of equals the more used one."""
    text = to_comparable(query)
    forms = {tag: list(_list_names(tag)) for tag in tags}
    named = frozenset(form.text for own in forms.values() for form in own)
    words = split_words(text, [form for form in named if form in text and is_han(form)])
    found = [hit for tag in tags if (hit := _find_best_match(tag, forms[tag], text, words)) is not None]
    others = [tag for tag in tags if not any(hit.match.tag is tag for hit in found)]
    near = [hit for tag in others if (hit := _find_fuzzy_match(tag, forms[tag], words, named))]
    kept = [hit.match for hit in [*_drop_inner_matches(found), *near]]
    kept.sort(key=lambda match: (-match.score, -match.tag.use_count, len(match.tag.label), match.tag.label))
    return kept[:limit]


def _list_names(tag: Tag) -> Iterator[_TagName]:
    """Yield the names of a tag, the best first: label, aliases, synonyms in either language, the home of a contact with
    an address (张三家, "mum's place"), relation."""
    label = to_comparable(tag.label)
    aliases = [to_comparable(alias) for alias in tag.aliases]
    relation = to_comparable(tag.relation)
    yield _TagName(label, "exact", 1.0)
    yield from (_TagName(alias, "alias", TAG_LOOKUP.alias) for alias in aliases)
    for name in (label, *aliases):
        synonyms = SYNONYMS_OF.get(name) or _list_home_synonyms(name)
        yield from (_TagName(word, "alias", TAG_LOOKUP.synonym) for word in sorted(synonyms))
    if tag.kind == TagKind.CONTACT and tag.address:
        called = {label, *aliases, *SYNONYMS_OF.get(label, ())} - {""}
        homes = sorted(f"{name}{end}" for name in called for end in lexicon.OF_HOUSES if is_han(name) == is_han(end))
        yield from (_TagName(home, "alias", TAG_LOOKUP.relation) for home in homes)
    if relation:
        related = {relation, *SYNONYMS_OF.get(relation, ())}
        yield from (_TagName(word, "alias", TAG_LOOKUP.relation) for word in sorted(related))


def _list_home_synonyms(name: str) -> frozenset[str]:
    for end in lexicon.OF_HOUSES:
        owner = name.removesuffix(end)
        if owner != name and owner in lexicon.PEOPLE:
            return frozenset(f"{word}{end}" for word in SYNONYMS_OF[owner] if is_han(word) == is_han(end))
    return frozenset()


def _find_best_match(tag: Tag, forms: Sequence[_TagName], text: str, words: Sequence[TagWord]) -> _LookupHit | None:
    best: _LookupHit | None = None
    for form in forms:
        if not form.text:
            continue
        if form.text == text:
            hit = _LookupHit(TagMatch(tag, form.worth, form.match))
        elif (span := _find_span(form.text, text, words)) is not None:
            hit = _LookupHit(TagMatch(tag, round(form.worth * TAG_LOOKUP.inside_query, 4), form.match), span)
        else:
            continue
        if best is None or hit.match.score > best.match.score:
            best = hit
    return best


def _find_span(form: str, text: str, words: Sequence[TagWord]) -> tuple[int, int] | None:
    """Return the first words of the query that are ``form`` and mean it, as (from, to), or None."""
    wanted = [word.text for word in split_words(form, [form])]
    if is_han(form) and form in text:
        return next((span for span in _find_joined_words(form, words) if _is_meant(form, span, words)), None)
    size = len(wanted)
    for start in range(len(words) - size + 1):
        if [word.text for word in words[start : start + size]] == wanted:
            span = (start, start + size)
            if _is_meant(form, span, words):
                return span
    return None


def _find_joined_words(form: str, words: Sequence[TagWord]) -> Iterator[tuple[int, int]]:
    for start in range(len(words)):
        joined = ""
        for end in range(start, len(words)):
            joined += words[end].text
            if joined == form:
                yield start, end + 1
            if len(joined) >= len(form):
                break
    longest_that_joins = 2
    if len(form) < longest_that_joins:
        return
    for start, (one, other) in enumerate(pairwise(words)):
        known = any(len(word.text) > 1 and is_in_dictionary(word.text) for word in (one, other))
        if form in one.text + other.text and not known:
            yield start, start + 2


def _is_meant(form: str, span: tuple[int, int], words: Sequence[TagWord]) -> bool:
    before = words[span[0] - 1] if span[0] else None
    after = words[span[1]] if span[1] < len(words) else None
    if _is_other_thing(form, before, after):
        return False
    if form in lexicon.HOMES or form in lexicon.PEOPLE:
        return not _belongs_to_another(words[: span[0]]) and not (form == "家" and _is_measure_word(before, after))
    return form not in lexicon.AMBIGUOUS or _stands_as_place(form, words[: span[0]], after)


def _is_other_thing(form: str, before: TagWord | None, after: TagWord | None) -> bool:
    """Return whether the neighbours make another word of it: "home screen", 家乡, "white house"."""
    if after is not None and after.text in lexicon.NOT_BEFORE.get(form, ()):
        return True
    if before is not None and before.text in lexicon.NOT_AFTER.get(form, ()):
        return True
    if not is_han(form) or len(form) > 1 or after is None:
        return False
    return after.text[:1] not in lexicon.AFTER_HAN and len(after.text) == 1 and is_in_dictionary(form + after.text)


def _belongs_to_another(before: Sequence[TagWord]) -> bool:
    """Return whether the preceding words give it to somebody else: 朋友家, "his mum", "John's house"."""
    rest = list(before)
    while rest and rest[-1].text == "的":
        rest.pop()
    if not rest or rest[-1].text == BREAK:
        return False
    owner = rest[-1]
    named = owner.name or (owner.text[:1] in lexicon.NAMES_BEGIN and len(owner.text) in {2, 3} and is_han(owner.text))
    called = len(owner.text) > 1 and owner.text.endswith(lexicon.OTHERS_END)
    return owner.owns or owner.text in lexicon.OTHERS or (is_han(owner.text) and (named or called))


def _is_measure_word(before: TagWord | None, after: TagWord | None) -> bool:
    """Return whether 家 is a measure word: 有家餐厅, 找家酒店. Alone or after a lead it is a home."""
    is_particle = after is not None and after.text == "吧" and before is not None and _is_lead(before)  # 回家吧
    counts = after is not None and after.text.endswith(lexicon.COUNTS_A_HOUSE) and not is_particle
    return counts or (before is not None and is_han(before.text) and not _is_lead(before))


def _stands_as_place(form: str, before: Sequence[TagWord], after: TagWord | None) -> bool:
    led = _is_lead(before[-1]) or before[-1].text == BREAK if before else form not in lexicon.NEEDS_LEAD
    if form == "work" and [word.text for word in before[-1:]] == ["to"]:
        led = len(before) == 1 or before[-2].text in lexicon.MOVES
    return led and (after is None or after.text == BREAK or after.text in lexicon.FOLLOWERS)


def _is_lead(word: TagWord) -> bool:
    return word.text in lexicon.LEADS or word.text in lexicon.BEFORE_HAN


def _drop_inner_matches(hits: Sequence[_LookupHit]) -> list[_LookupHit]:
    """Return the hits that are not part of a longer hit: in 去奶奶家 奶奶家, not 家."""
    spans = [hit.span for hit in hits if hit.span is not None]
    return [hit for hit in hits if hit.span is None or not any(_is_inside(hit.span, other) for other in spans)]


def _is_inside(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one != other and other[0] <= one[0] and one[1] <= other[1]


def _find_fuzzy_match(
    tag: Tag, forms: Sequence[_TagName], words: Sequence[TagWord], tag_names: frozenset[str]
) -> _LookupHit | None:
    own = [form.text for form in forms if (form.text and form.match == "exact") or form.worth == TAG_LOOKUP.alias]
    content = [word for word in words if word.text not in lexicon.EMPTY_WORDS and word.text != BREAK]
    tried = (
        max(_score_typo(text, content, tag_names), _score_slip(text, words, tag_names), _label_coverage(text, content))
        for text in own
    )
    score = max(tried, default=0.0)
    return _LookupHit(TagMatch(tag, round(score * TAG_LOOKUP.fuzzy, 4), "fuzzy")) if score else None


def _score_typo(form: str, content: Sequence[TagWord], tag_names: frozenset[str]) -> float:
    if is_han(form):
        return _score_chinese_typo(form, content)
    size = len(form.split(" "))
    best = 0.0
    for start in range(len(content) - size + 1):
        window = " ".join(word.text for word in content[start : start + size])
        if window in SYNONYMS_OF or window in tag_names or window[:1] != form[:1] or form in window or window in form:
            continue  # a word of its own, or an inflection such as "officer"
        best = max(best, fuzz.ratio(form, window) / 100)
    return best if len(form) >= TAG_LOOKUP.shortest_typo and best >= TAG_LOOKUP.typo_similarity else 0.0


def _score_slip(form: str, words: Sequence[TagWord], tag_names: frozenset[str]) -> float:
    """Return the similarity of a short word with one typing slip: its last letter doubled, or two letters changed.
    Other words are as similar to a short one, so it must stand alone or after a lead: "call mumm"."""
    if is_han(form) or not TAG_LOOKUP.shortest_slip <= len(form) < TAG_LOOKUP.shortest_typo:
        return 0.0
    swapped = {form[:at] + form[at + 1] + form[at] + form[at + 2 :] for at in range(1, len(form) - 1)} - {form}
    slips = {form + form[-1], *swapped} - tag_names - SYNONYMS_OF.keys()
    for at, word in enumerate(words):
        if word.text in slips and (_is_lead(words[at - 1]) if at else len(words) == 1):
            return fuzz.ratio(form, word.text) / 100
    return 0.0


def _score_chinese_typo(form: str, content: Sequence[TagWord]) -> float:
    """Accept one wrong character among three or more, if the query's own characters make no word."""
    shortest = 3
    text = "".join(word.text for word in content)
    singles = "".join(word.text for word in content if len(word.text) == 1)
    size = len(form)
    if size < shortest:
        return 0.0
    for start in range(len(text) - size + 1):
        window = text[start : start + size]
        wrong = [mine for mine, theirs in zip(window, form, strict=True) if mine != theirs]
        if len(wrong) == 1 and wrong[0] in singles and not is_in_dictionary(window):
            return Levenshtein.normalized_similarity(window, form)
    return 0.0


def _label_coverage(form: str, content: Sequence[TagWord]) -> float:
    """Return the share of ``form`` that the query's content covers; 0 below half or if a word is not in it."""
    said = [word.text for word in content]
    if not said or len("".join(said)) < 2:  # noqa: PLR2004  # one character says nothing
        return 0.0
    if is_han(form):
        part = "".join(said)
        share = len(part) / len(form) if part in form else 0.0
    else:
        own = [word.text for word in split_words(form)]
        share = len(said) / len(own) if set(said) <= set(own) else 0.0
    return share if TAG_LOOKUP.covered_label <= share < 1 else 0.0
