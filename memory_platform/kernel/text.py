"""Text as the platform compares it: normal form, invisible characters, simplified Chinese, language, hash.

Everything here is linear in the length of the text, whatever the text is: NFKC alone takes 3 s on 40,000 combining
marks, because it sorts each run of them.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache
from itertools import accumulate, takewhile

from opencc import OpenCC

# Most combining marks kept in one run: the bound of Unicode's stream-safe text format (UAX #15).
MARK_RUN = 30

_MARKS_BEYOND_COMBINING = "\u0f73\u0f75\u0f81\uff9e\uff9f"  # class 0 themselves, but NFKC makes marks of them
_MARKS = re.escape(
    "".join(c for c in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(c)) + _MARKS_BEYOND_COMBINING
)
_LONG_MARK_RUN = re.compile(f"([{_MARKS}]{{{MARK_RUN}}})[{_MARKS}]+")

_PLURAL = re.compile(r"(?<=[a-z]{2})(?:ies|ie|(?<![su])s)$")
_LONG_PLURAL = re.compile(r"(?<=[sxzh])e$")
# Unicode's default-ignorable code points, and the blank Braille pattern: they hide differences from a reader.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)

_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005\u3007\U00020000-\U000323af"
KANA = "\u3040-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_HAN = re.compile(f"[{HAN}]")
_ENCODABLE = re.compile("[^\ud800-\udfff]+")
_KANA = re.compile(f"[{KANA}]")
_HANGUL = re.compile(f"[{HANGUL}]")
_LATIN_WORD = re.compile("[a-z\u00df-\u024f]+")
_OTHER_WORD = re.compile(r"[^\W\d_]+")

# The language of a text without letters (ISO 639-2).
UNDETERMINED = "und"


@lru_cache(maxsize=1)
def _simplifier() -> OpenCC:
    return OpenCC("t2s")


def normalise(text: str) -> str:
    """Return ``text`` in NFKC; runs of combining marks are cut to ``MARK_RUN``. Linear in ``len(text)``."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _LONG_MARK_RUN.sub(r"\1", text))


def truncate_text(text: str, limit: int) -> str:
    """Return the longest beginning of ``text`` that has at most ``limit`` characters, both as it is and in NFKC. One
    character may become 18 in NFKC (U+FDFA)."""
    part = text[:limit]
    if part.isascii() or len(normalise(part)) <= limit:
        return part
    lengths = accumulate(len(unicodedata.normalize("NFKC", character)) for character in part)
    return part[: sum(1 for _ in takewhile(limit.__ge__, lengths))]


def remove_invisible(text: str) -> str:
    """Return ``text`` without invisible characters. Joined emoji and scripts are split by this."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def is_invisible(character: str) -> bool:
    """Return whether :func:`remove_invisible` removes the character."""
    return _INVISIBLE.match(character) is not None


def simplify(text: str) -> str:
    if text.isascii() or not _HAN.search(text):
        return text
    return _ENCODABLE.sub(lambda part: str(_simplifier().convert(part[0])), text)


def index_form(text: str) -> str:
    """Return the form in which words are indexed and compared: NFKC, visible, case folded, simplified."""
    if text.isascii():
        return text.lower()
    return simplify(remove_invisible(normalise(text)).casefold()).replace("\u2019", "'")


def collapse_spaces(text: str) -> str:
    """Return ``text`` with every run of white space and control characters as one space, trimmed."""
    return _SPACES.sub(" ", text).strip()


def to_comparable(text: str) -> str:
    """Return the form that is equal for texts that a reader would call the same: ``index_form`` with single spaces."""
    return collapse_spaces(index_form(text))


def to_singular(text: str) -> str:
    """Return lower-case ``text`` in a form that is equal for singular and plural of its last word: "window seat(s)"."""
    return _LONG_PLURAL.sub("", _PLURAL.sub(lambda ending: "y" if "i" in ending.group() else "", text))


def content_hash(text: str) -> bytes:
    """Return the SHA-256 (32 bytes) of the visible text; spacing and encoding do not matter, case does. Lone surrogates
    are hashed as they are, so that no string raises."""
    shown = collapse_spaces(remove_invisible(normalise(text)))
    return hashlib.sha256(shown.encode("utf-8", "surrogatepass")).digest()


def detect_language(text: str) -> str:
    """Return "zh", "en", "ja", "ko", "other" or "und" by script: a Han character counts as much as a Latin word. Latin
    script counts as English: the question asked here is which words and which embedding can serve the text."""
    form = index_form(text)
    han, latin = len(_HAN.findall(form)), len(_LATIN_WORD.findall(form))
    if form.isascii():
        return "en" if latin else UNDETERMINED
    kana, hangul = len(_KANA.findall(form)), len(_HANGUL.findall(form))
    if kana and kana + han >= latin and 5 * kana >= han:
        return "ja"
    if hangul and hangul >= latin:
        return "ko"
    if han and han >= latin:
        return "zh"
    other = len(_OTHER_WORD.findall(form)) - latin
    if latin and latin >= other:
        return "en"
    return "other" if other > 0 else UNDETERMINED
