"""Times, dates, amounts and other figures in a text: two sentences may agree in them or differ."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.reading.text_folding import fold_for_matching

NUMBER = "number"
_FIGURE_PATTERNS = load_patterns(Path(__file__).with_name("data") / "figures.toml")


@lru_cache(maxsize=4_096)
def find_figures(text: str) -> Mapping[str, frozenset[str]]:
    form = fold_for_matching(text).lower()
    return {name: frozenset(pattern.findall(form)) for name, pattern in _FIGURE_PATTERNS.items()}
