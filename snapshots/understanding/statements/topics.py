"""Topics and importance of a text, without a model: words of a lexicon, cues of weight."""

import re
import tomllib
from collections import Counter
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from memory_platform.kernel.text import simplify
from snapshots.understanding.config import SUMMARY, SummaryConfig

_WORD = re.compile(r"[a-z][a-z'-]+")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_SHORTEST_ZH = 2
_FILE = tomllib.loads(Path(__file__).with_name("topics.toml").read_text(encoding="utf-8"))
TOPIC_OF: dict[str, dict[str, str]] = {
    language: {word: topic for topic, words in topics.items() for word in words.split()}
    for language, topics in _FILE.items()
}
_LONGEST_ZH = max(map(len, TOPIC_OF["zh"]))
CUES = tuple(load_patterns(Path(__file__).with_name("importance.toml")).values())
CEILING = 0.9


def find_topics(text: str, *, config: SummaryConfig = SUMMARY) -> tuple[str, ...]:
    """Return the categories whose words occur in ``text``, most frequent first, at most ``max_topics``."""
    counts: Counter[str] = Counter()
    for word in _WORD.findall(text.lower()):
        category = TOPIC_OF["en"].get(word)
        if category:
            counts[category] += 1
    for run in _HAN_RUN.findall(text):
        counts.update(_find_topics_zh(simplify(run)))
    return tuple(category for category, _ in counts.most_common(config.max_topics))


def score_importance(text: str) -> float:
    """Return 0..1: the base plus one step for each kind of cue in ``text``, at most ``CEILING``."""
    cues = sum(cue.search(text) is not None for cue in CUES)
    return round(min(CEILING, SUMMARY.base_importance + SUMMARY.importance_per_cue * cues), 2)


def _find_topics_zh(run: str) -> list[str]:
    """Longest words first, from the left; single characters say too little ("酒店" is no wine)."""
    found = []
    at = 0
    while at < len(run):
        sizes = range(_LONGEST_ZH, _SHORTEST_ZH - 1, -1)
        size = next((n for n in sizes if run[at : at + n] in TOPIC_OF["zh"]), 0)
        if size:
            found.append(TOPIC_OF["zh"][run[at : at + size]])
        at += size or 1
    return found
