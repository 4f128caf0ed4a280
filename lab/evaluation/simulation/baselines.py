"""Baselines without a memory: the end of a history within a budget, or the turns that BM25 finds in it."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.providers.contracts import TokenCounter

# Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009: their usual values.
K1, B = 1.2, 0.75


class RawHistory:
    """All that was said, in order, with its sizes and the words that ``split`` finds; it grows, is never summarised."""

    def __init__(self, counter: TokenCounter, split: Callable[[str], Iterable[str]] = split_terms) -> None:
        self._counter = counter
        self._split = split
        self._texts: list[str] = []
        self._tokens: list[int] = []
        self._words: list[Counter[str]] = []
        self._lengths: list[int] = []
        self._holding: Counter[str] = Counter()

    @property
    def tokens(self) -> int:
        return sum(self._tokens)

    def add(self, text: str) -> None:
        words = Counter(self._split(text))
        self._texts.append(text)
        self._tokens.append(self._counter.count(text))
        self._words.append(words)
        self._lengths.append(words.total())
        self._holding.update(words.keys())

    def latest_messages(self, budget: int) -> list[str]:
        return self._fit_budget(range(len(self._texts) - 1, -1, -1), budget, skipping=False)

    def search(self, query: str, budget: int) -> list[str]:
        """Return the messages that BM25 ranks best for ``query``, as many as fit ``budget``; others are skipped.

        A word counts as often as the query has it. Messages that share no word with the query are left out.
        """
        asked = Counter(self._split(query))
        mean = sum(self._lengths) / max(1, len(self._lengths))
        scores = {place: self._score(place, asked, mean) for place in range(len(self._texts))}
        best = sorted((place for place, score in scores.items() if score > 0), key=lambda place: -scores[place])
        return self._fit_budget(best, budget, skipping=True)

    def _score(self, place: int, query_words: "Counter[str]", mean: float) -> float:
        held, count = self._words[place], len(self._texts)
        norm = K1 * (1 - B + B * self._lengths[place] / max(1.0, mean))
        total = 0.0
        for word, times in query_words.items():
            if word in held:
                rarity = math.log(1 + (count - self._holding[word] + 0.5) / (self._holding[word] + 0.5))
                total += times * rarity * held[word] * (K1 + 1) / (held[word] + norm)
        return total

    def _fit_budget(self, places: Iterable[int], budget: int, *, skipping: bool) -> list[str]:
        kept: list[str] = []
        left = budget
        for place in places:
            if self._tokens[place] <= left:
                kept.append(self._texts[place])
                left -= self._tokens[place]
            elif not skipping:
                break
        return kept


def join_texts(texts: Sequence[str]) -> str:
    return "\n".join(texts)
