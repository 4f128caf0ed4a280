"""Which injected memories a reply used, read from words alone. Pure, no model."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import rjieba

from memory_platform.kernel.keyword_terms import CHINESE, split_terms
from memory_platform.kernel.text import to_comparable
from snapshots.feedback.config import UTILISATION
from snapshots.feedback.reading.overlap import convert_to_digits
from snapshots.feedback.reading.turn_patterns import ATTITUDES_EN, ATTITUDES_ZH, matches_pattern
from snapshots.feedback.values import UtilisationSign
from snapshots.understanding.reading.text_folding import to_mandarin

_SENTENCE = re.compile(r"[.!?。\n]+(?=\s|$|[\u3400-\u9fff])")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
# jieba's tags of words without content: prepositions, particles, pronouns, adverbs, measures.
_EMPTY_TAGS = frozenset(["p", "c", "uj", "ud", "ul", "uz", "uv", "ug", "u", "r", "y", "d", "x", "f", "e", "o", "q"])
_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d")
_PROPER = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_AS_KEY = re.compile(r"[\w -]{1,60}: ")
_WORD_EDGE = re.compile(r"[a-z0-9]")
# Characters; a longer value is compared by its words.
LONGEST_VALUE = 200
_PARTS = re.compile(r"[,;、，；]\s*")
_CONCEPTS = tuple(
    (re.compile("".join(row["memory"].splitlines())), re.compile("".join(row["reply"].splitlines())))
    for row in tomllib.loads(Path(__file__).with_name("concepts.toml").read_text(encoding="utf-8"))["concept"]
)


@dataclass(frozen=True, slots=True)
class SearchedText:
    """A text in which memories are looked for. Chinese words are matched as substrings: the text's own segmentation
    may differ."""

    form: str
    stems: frozenset[str]

    @classmethod
    def from_text(cls, text: str) -> Self:
        form = to_mandarin(to_comparable(text))
        return cls(form, frozenset(convert_to_digits(term) for term in split_terms(_HAN_RUN.sub(" ", form))))

    def find_words(self, words: Iterable[str]) -> frozenset[str]:
        return frozenset(w for w in words if w in self.stems or (_HAN_RUN.match(w) and w in self.form))


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A reply, its sentences that refer to facts about the user, and the question that it answers."""

    whole: SearchedText
    referring: SearchedText
    question: SearchedText

    def mentions(self, value: str) -> bool:
        """Return whether ``value`` stands in the reply as words of its own, and not already in the question."""
        return _contains_as_words(value, self.whole.form) and not _contains_as_words(value, self.question.form)


def find_used_memories(query: str, reply: str, memories: Sequence[tuple[str, str]]) -> dict[int, UtilisationSign]:
    """Return, by index, the sign that the ``reply`` used a memory; unused memories are absent.

    ``memories`` are (lane, text). "value": the reply has a name, number or value of the memory that the question does
    not have. "reference": it refers to the user's words, in a sentence about the memory's subject. "words": it has the
    memory's core words; those rare among the injected memories count most. Linear in the length of all texts.
    """
    said = _parse_reply(query, reply)
    texts = [text[: UTILISATION.memory_chars] for _, text in memories]
    weights = weigh_core_words(texts)
    told = [_find_distinct_values(lane, text) for (lane, _), text in zip(memories, texts, strict=True)]
    shared = Counter(value for values in told for value in set(values))
    found: dict[int, UtilisationSign] = {}
    for number, (text, values) in enumerate(zip(texts, told, strict=True)):
        # A value of several memories does not show which of them was used.
        own = [value for value in values if shared[value] == 1]
        how = _classify_use(text, own, weights, said)
        if how:
            found[number] = how
    return found


def find_core_words(text: str) -> frozenset[str]:
    """Return the core words of ``text``: English stems and Chinese words for its topic, not for attitudes."""
    form = to_mandarin(to_comparable(text))
    latin = {convert_to_digits(term) for term in split_terms(_HAN_RUN.sub(" ", form)) if term not in ATTITUDES_EN}
    tagged = (pair for run in _HAN_RUN.findall(form) for pair in rjieba.tag(run))
    words = {word for word, tag in tagged if tag not in _EMPTY_TAGS and word not in CHINESE}
    return frozenset(latin | (words - ATTITUDES_ZH))


def weigh_core_words(texts: Iterable[str]) -> Mapping[str, float]:
    """Return ln((n + 1) / (df + 1/2)) of each core word: a word that all memories share distinguishes nothing."""
    sets = [find_core_words(text) for text in texts]
    counted = Counter(word for words in sets for word in words)
    return {word: math.log((len(sets) + 1) / (count + 0.5)) for word, count in counted.items()}


def compute_weight_share(words: Collection[str], found_words: Collection[str], weights: Mapping[str, float]) -> float:
    """Return the share of the weight of ``words`` that ``found_words`` has, 0..1."""
    total = sum(weights.get(word, 0.0) for word in words)
    return sum(weights.get(word, 0.0) for word in words if word in found_words) / total if total else 0.0


def _parse_reply(query: str, reply: str) -> ParsedReply:
    whole, asked = (
        SearchedText.from_text(reply[: UTILISATION.reply_chars]),
        SearchedText.from_text(query[: UTILISATION.reply_chars]),
    )
    referring = (one for one in _SENTENCE.split(whole.form) if matches_pattern("refers", one))
    return ParsedReply(whole, SearchedText.from_text("\n".join(referring)), asked)


def _classify_use(
    text: str, values: Iterable[str], weights: Mapping[str, float], reply: ParsedReply
) -> UtilisationSign | None:
    words = find_core_words(text)
    held, echoed = reply.whole.find_words(words), reply.question.find_words(words)
    fits = bool(held - echoed - frozenset(values))
    if any(reply.mentions(value) and (fits or not _NUMBER.fullmatch(value)) for value in values):
        return "value"
    # A word that the question holds counts little: any reply gives it back.
    fresh = {word: weights[word] * (UTILISATION.echo_weight if word in echoed else 1.0) for word in words}
    if compute_weight_share(words, reply.referring.find_words(words), fresh) >= UTILISATION.reference_share:
        return "reference"
    telling = bool(held - echoed)
    if telling and compute_weight_share(words, held, fresh) >= UTILISATION.words_share:
        return "words"
    return "words" if _respects_concept(to_comparable(text), reply) else None


def _respects_concept(memory: str, reply: ParsedReply) -> bool:
    """Return whether a reply shows a memory in other words than the memory's: "no meat" for a vegetarian, 没超您的数
    for a budget. Words that the question has show nothing."""
    return any(
        named.search(memory) and shown.search(reply.whole.form) and not shown.search(reply.question.form)
        for named, shown in _CONCEPTS
    )


def _find_distinct_values(lane: str, text: str) -> list[str]:
    """Return the parts of a memory that no other words can say: values of beliefs, names and numbers of snapshots."""
    if lane in {"preferences", "tags"}:
        label, _, value = text.partition(": ") if _AS_KEY.match(text) else ("", "", text)
        told = _PARTS.split(value) if value not in {"yes", "no"} else []
        return _normalise_values([value, *told, *([label] if lane == "tags" else [])])
    if lane == "profile":
        return _normalise_values([text, *_PARTS.split(text)])
    return _normalise_values([*_NUMBER.findall(text), *_PROPER.findall(text)])


def _normalise_values(values: Iterable[str]) -> list[str]:
    forms = (to_comparable(value).strip(" .,;。") for value in values)
    return [form for form in forms if 1 < len(form) <= LONGEST_VALUE]


def _contains_as_words(value: str, form: str) -> bool:
    start = form.find(value)
    while start >= 0:
        end = start + len(value)
        open_left = start == 0 or not (_WORD_EDGE.match(value[0]) and _WORD_EDGE.match(form[start - 1]))
        open_right = end == len(form) or not (_WORD_EDGE.match(value[-1]) and _WORD_EDGE.match(form[end]))
        if open_left and open_right:
            return True
        start = form.find(value, start + 1)
    return False
