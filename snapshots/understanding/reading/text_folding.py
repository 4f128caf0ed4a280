"""The matching form of a text, which keeps every character's position, its language and its length in tokens.

Written Cantonese is read as Mandarin, character for character: one set of patterns reads both.
"""

import math
import re
import tomllib
from pathlib import Path

from memory_platform.kernel.text import simplify

_FULL_WIDTH = {0xFF01 + i: 0x21 + i for i in range(94)}
_FOLD: dict[int, int | str] = {
    **_FULL_WIDTH,
    0x2018: "'",
    0x2019: "'",
    0x02BC: "'",
    0x201C: '"',
    0x201D: '"',
    0x300C: '"',
    0x300D: '"',
    0x3000: " ",
    0xA0: " ",
}
_CJK = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{1,40}")
_UNIT = re.compile(r"[\u3400-\u9fff]|[A-Za-z0-9']+")
_TOKENS_PER_WORD = 1.3
_CANTONESE = re.compile(r"[唔嘅咗冇佢喺啲嚟嗰𠮶哋咁㗎囖]|钟意|中意|[我又都就净]系(?!统|列)|返工|收工|鍾意")
_TABLE = tomllib.loads((Path(__file__).with_name("data") / "cantonese.toml").read_text(encoding="utf-8"))
_MANDARIN = str.maketrans(_TABLE["from"], _TABLE["to"])
_PAIRS: dict[str, str] = _TABLE["words"]
_BEING = re.compile("(?<![关联体星派院不])系(?![统列数主])")
_MANDARIN_PAIRS = re.compile("|".join(_PAIRS))


def fold_for_matching(text: str) -> str:
    """Return ``text`` folded for matching, character for character: same length, same positions."""
    folded = text.translate(_FOLD)
    if _CJK.search(folded):
        simplified = simplify(folded)
        folded = simplified if len(simplified) == len(folded) else folded
        folded = to_mandarin(folded)
    return folded


def detect_rule_language(text: str) -> str:
    """Return "zh" or "en", the language whose patterns should read ``text``."""
    cjk = _CJK.search(text)
    if not cjk:
        return "en"
    latin = _LATIN_WORD.search(text)
    opens_latin = latin is not None and latin.start() < cjk.start()
    return "en" if opens_latin and len(_LATIN_WORD.findall(text[: cjk.start()])) > 1 else "zh"


def estimate_tokens(text: str) -> int:
    """Return an estimate of tokens: 1.3 per word, 1 per Chinese character, rounded up."""
    units = _UNIT.findall(text)
    han = sum(1 for unit in units if _CJK.match(unit))
    return math.ceil((len(units) - han) * _TOKENS_PER_WORD + han)


def to_mandarin(text: str) -> str:
    """Return simplified ``text`` with Cantonese words replaced by Mandarin ones of the same length."""
    if not _CANTONESE.search(text):
        return text
    return _BEING.sub("是", _MANDARIN_PAIRS.sub(lambda match: _PAIRS[match.group()], text.translate(_MANDARIN)))
