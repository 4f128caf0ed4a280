"""Detect near-duplicates: a number is equal for two memories exactly when one repeats the other.

The number is a hash of the normalised text and the speaker. Normalisation drops only differences without meaning: case,
width, traditional characters, kinds of breaks, fillers at the beginning. It keeps the order and every word, number,
sign and question mark. A memory repeats nothing (0) when its text may mean something else another time: it names a time
("yesterday"), says too little without the turn before it ("Yes, I love it"), or is masked in part.
"""

import re
from hashlib import blake2b

from memory_platform.kernel.text import HAN, KANA, collapse_spaces, index_form, to_comparable
from snapshots.embedding.config import SAYING, SayingConfig
from snapshots.embedding.marker_terms import NAMES_A_TIME

# Before NFKC, which makes 102 of 10².
_POWERS = str.maketrans({power: f"^{digit}" for digit, power in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
_SIGNS = str.maketrans("“”„«»「」『』‘−–‐", '"""""""""\'---')

# Scripts written without spaces. A space between two Chinese characters stays: it may stand for a comma.
_UNSPACED = f"{HAN}{KANA}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_BESIDE_LATIN = re.compile(f"(?<=[{HAN}]) (?=[a-z0-9])|(?<=[a-z0-9]) (?=[{HAN}])")

_BREAKING = ",;:、.!。?"
_RUN_OF_BREAKS = re.compile(f"[{_BREAKING}]{{2,}}")
# A point or comma inside a number or a name ("5.5", "Node.js") does not separate.
_BREAK = re.compile(f" ?([{_BREAKING}])(?: |$|(?=[{_UNSPACED}]))|(?<=[{_UNSPACED}]) ?([{_BREAKING}])")

# Chinese 那个 is not among them: "that one" is what a sentence can be about. Nor is 其实 before other characters, where
# it may be 其 and the beginning of a word: 其实力.
_FILLERS = re.compile(
    r"\A(?:(?:well|oh|ah|um+|uh+|hm+|anyway|actually|honestly|to be honest|by the way|you know)[,.] |so, |actually "
    r"|[嗯呃啊哦噢哎唉]+[,.] |其实(?:, )?(?=[我你您他她它咱])|(?:说实话|老实说|话说), )+"
)

# What NAMES_A_TIME need not know to answer "when", and what says that it happened before.
_ANOTHER_TIME = re.compile(
    r"\b(?:now|again|still|already|currently|these days|(?:this|that) (?:time|day)|o'clock|in may|morning|afternoon"
    r"|evening|noon|midnight|spring|summer|autumn|winter|christmas|easter|thanksgiving|birthday)\b"
    r"|\d(?:st|nd|rd|th|:\d\d| ?[ap]\.?m)\b"
    r"|[又再]|现在|目前|正在|此刻|这会儿|这几天|[这那]天|当时|[这那上下][次回]|今[早晚]|昨[早晚]|生日|[春夏秋冬]天"
)

REPEATS_NOTHING = 0

_MASKED = "[masked "

_WORD = re.compile(f"(?:(?![{_UNSPACED}])\\w)+(?:'[a-z]+)?")
_CHARACTER = re.compile(f"(?=\\w)[{_UNSPACED}]")
_LEANING = (
    "yes yeah yep yup no nope ok okay sure right true exactly indeed agreed agree really absolutely definitely maybe "
    "thanks thank me too also either neither so same not it its this that these those he him his she her hers they "
    "them their theirs there here one ones do does did don't doesn't didn't it's that's he's she's they're"
)
_LEANING_WORDS = frozenset(_LEANING.split())
# Words and characters that point to the turn before, or answer it.
_LEANING_CHARACTERS = re.compile(
    r"[他她它]们?|[这那][个里些样么]?|是[的啊呀]|[好对行]的?[呀啊吧]?|没错|没问题|没关系|可以|不是|不用|当然|同意|谢谢|一样|[嗯哦也的了吗呢]"
)


def hash_saying(text: str, speaker: str | None, config: SayingConfig = SAYING) -> int:
    """Return a signed 64-bit number for ``text`` said by ``speaker``; 0 if it repeats nothing. Linear time."""
    form = normalise_saying(text)
    if (
        not is_self_contained(form, config)
        or NAMES_A_TIME.search(form)
        or _ANOTHER_TIME.search(form)
        or _MASKED in form
    ):
        return REPEATS_NOTHING
    said = f"{to_comparable(speaker or '')}\n{form}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(said, digest_size=8).digest(), signed=True) or 1


def normalise_saying(text: str) -> str:
    form = collapse_spaces(index_form(text.translate(_POWERS)).translate(_SIGNS))
    form = _RUN_OF_BREAKS.sub(lambda run: f"{_classify_break(run[0])} ", _BESIDE_LATIN.sub("", form))
    form = _BREAK.sub(lambda one: f"{_classify_break(one[1] or one[2])} ", form)
    return _FILLERS.sub("", collapse_spaces(form)).rstrip(" .,~")


def is_self_contained(form: str, config: SayingConfig = SAYING) -> bool:
    """Return whether a text in normal form says enough by words that neither point to nor answer another text."""
    words = sum(word not in _LEANING_WORDS for word in _WORD.findall(form))
    characters = len(_CHARACTER.findall(_LEANING_CHARACTERS.sub("", form)))
    return words / config.least_words + characters / config.least_characters >= 1


def _classify_break(breaks: str) -> str:
    """Return a run of breaks as one of three: a question, the end of a sentence, a pause within it."""
    if "?" in breaks:
        return "?"
    return "." if set(breaks) & set(".!。") else ","
