"""Tokens without a tokenizer: an estimate close enough to budget with, and safe to add up.

Real tokenizers are large files, differ by model, and tiktoken fetches its own at first use; the read path has neither
the time nor the network for that. The weights follow what byte-pair tokenizers of 100,000 to 200,000 entries do.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured
from memory_platform.kernel.text import HAN, HANGUL, KANA

_LATIN = "A-Za-z_'\u2019\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_ASCII_PUNCTUATION = r"!-&(-/:-@\[-^`{-~"

_LATIN_WORD = re.compile(f"[{_LATIN}]+")
_DIGITS = re.compile("[0-9]+")
_PUNCTUATION = re.compile(f"[{_ASCII_PUNCTUATION}]+")
_LINE_ENDS = re.compile("[\r\n]+")
_UNSPACED = re.compile(f"[{HAN}{KANA}{HANGUL}]+")
_OTHER_WORD = re.compile(rf"(?:(?![{_LATIN}{HAN}{KANA}{HANGUL}0-9])\w)+")
_OTHER_SIGNS = re.compile(rf"(?:(?![{_LATIN}])[^\w\s\x00-\x7f])+")


@dataclass(frozen=True, slots=True)
class TokenWeights:
    """What one token holds, in characters, and what one character costs, in hundredths of a token."""

    letters_per_token: int = measured(6, source="within 20 % of o200k on English text")
    unspaced_hundredths: int = measured(85, source="0.85 tokens per Chinese character, within 20 % of o200k")
    digits_per_token: int = measured(3, source="o200k splits digits into groups of at most three")
    punctuation_per_token: int = assumed(2, owner="providers", settle_by="usage reported by chat models")
    line_ends_per_token: int = assumed(8, owner="providers", settle_by="usage reported by chat models")
    other_letters_per_token: int = assumed(3, owner="providers", settle_by="usage reported by chat models")
    other_sign_hundredths: int = assumed(150, owner="providers", settle_by="usage reported by chat models")
    scale_hundredths: int = assumed(100, owner="providers", settle_by="usage reported by chat models")
    """Multiplies the whole estimate: 110 counts a tenth more, for a model whose provider reports more."""


class TokenEstimator:
    """A token counter by rule: 0.85 per CJK character, one per six letters of a word, digits, punctuation.

    Each kind of character has its own runs, rounded up, so that an estimate never exceeds the sum of the estimates of
    the text's parts, however it is cut: a budget kept for the parts is kept for the whole. Appending never lowers it.
    """

    def __init__(self, weights: TokenWeights | None = None) -> None:
        self._weights = weights or TokenWeights()

    @property
    def name(self) -> str:
        """Stable name: it changes with the weights' meaning, not with a model's calibration."""
        return "estimate-1"

    def count(self, text: str) -> int:
        """Return the estimated tokens of ``text``, rounded up; blanks are free. Linear in ``len(text)``."""
        hundredths = self._plain_hundredths(text)
        if not text.isascii():
            hundredths += self._beyond_ascii_hundredths(text)
        return -(-hundredths * self._weights.scale_hundredths // 10_000)

    def _plain_hundredths(self, text: str) -> int:
        weights = self._weights
        words = _tokens_of(_LATIN_WORD.findall(text), weights.letters_per_token)
        digits = _tokens_of(_DIGITS.findall(text), weights.digits_per_token)
        punctuation = _tokens_of(_PUNCTUATION.findall(text), weights.punctuation_per_token)
        line_ends = _tokens_of(_LINE_ENDS.findall(text), weights.line_ends_per_token)
        return 100 * (words + digits + punctuation + line_ends)

    def _beyond_ascii_hundredths(self, text: str) -> int:
        weights = self._weights
        unspaced = sum(map(len, _UNSPACED.findall(text)))
        others = _tokens_of(_OTHER_WORD.findall(text), weights.other_letters_per_token)
        signs = sum(map(len, _OTHER_SIGNS.findall(text)))
        return unspaced * weights.unspaced_hundredths + 100 * others + signs * weights.other_sign_hundredths


def _tokens_of(runs: Iterable[str], per_token: int) -> int:
    """Sum of the runs' lengths, each divided by ``per_token`` and rounded up."""
    lengths: Iterator[int] = map(len, runs)
    return sum(-(-length // per_token) for length in lengths)
