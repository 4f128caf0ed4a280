"""The prompt fence: stored text enters a prompt as data, in an element that it can neither close nor imitate.

Markup is escaped, invisible characters are removed, and memories of the second message carry a nonce that no stored
text can know. Tokens by which open models tell turns apart are broken: a server that writes messages into one text
would read them as its own. All functions are linear in the length of the text.
"""

import re
import secrets
import string
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from memory_platform.kernel.caches import TextCache
from memory_platform.kernel.text import remove_invisible
from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.context.token_budget import CountedPiece, Frames
from snapshots.context.values import Guardrail, MemoryItem, Passage, TextLooks
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import fold_for_matching


@dataclass(slots=True)
class PromptText:
    """A text in the making, and the span of each candidate by its piece's id."""

    text: str = ""
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add_pieces(self, pieces: Iterable[CountedPiece]) -> "PromptText":
        within: Frames = ()
        for piece in pieces:
            self._switch_frames(within, piece.frames)
            within = piece.frames
            start = len(self.text)
            self.text += piece.text
            if isinstance(piece.origin, MemoryItem | Passage):
                self.spans[id(piece)] = (start, start + len(piece.text.rstrip("\n")))
        self._switch_frames(within, ())
        return self

    def _switch_frames(self, before: Frames, after: Frames) -> None:
        both = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
        self.text += "".join(frame.closing for frame in reversed(before[both:]))
        self.text += "".join(frame.opening for frame in after[both:])

    def strip_outer_newlines(self) -> "PromptText":
        cut = len(self.text) - len(self.text.lstrip("\n"))
        moved = {piece: (start - cut, end - cut) for piece, (start, end) in self.spans.items()}
        return PromptText(self.text.strip("\n"), moved)


MEMORY = "user_memory"
# Letters, 47 bits: one guess a response. Letters only, so that every nonce costs the same tokens.
NONCE_LENGTH = 10

_ANSI = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)"  # operating system command: titles, hidden links
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # control sequence: colours, cursor, erased lines
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_NOT_IN_XML = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_OURS = "task|document|conversation_summary|tool_call|tool_result"
_TEMPLATE_BRACKETS = r"\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])"
# The beginnings of our own elements, and of the marks that chat templates put between turns (ChatML, Llama, Mistral,
# Gemma, DeepSeek).
_FORGED = re.compile(
    rf"<(?=\s*(?:/\s*)?(?:{MEMORY}|(?:{_OURS})(?![\w.:-])))"
    r"|<(?=\|[^\s<>|]{1,40}\|>|</?SYS>>|/?s>|(?:bos|eos|pad|unk|(?:start|end)_of_\w{1,20})>)"
    rf"|{_TEMPLATE_BRACKETS}",
    re.IGNORECASE,
)
_OPENING = re.compile("[<\uff1c\ufe64\u226e\\[\uff3b\ufe47]")
_BRACKETS = re.compile(_TEMPLATE_BRACKETS, re.IGNORECASE)
_BRACKET = re.compile("[\\[\uff3b\ufe47]")
_MARKUP = re.compile(
    rf"<\s*(?:/\s*)?(?:user_memory|memory|system|assistant|instructions?|turn|query|{_OURS})\b"
    r"|<!\[CDATA\[|<\||\[/?INST\]|<<\s*/?SYS",
    re.IGNORECASE,
)
# Signs that become markup where a reader puts the prompt in a normal form: wide and small < > &, < and > struck
# through, and the stroke, which would strike a tag's last sign through.
_LOOK_ALIKES = "\uff1c\ufe64\uff1e\ufe65\uff06\ufe60\u226e\u226f\u0338"
# The ampersand first: references hold one.
_BODY_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ATTRIBUTE_REFERENCES = _BODY_REFERENCES | {'"': "&quot;", "'": "&#39;"}
_BODY_LOOK_ALIKES = re.compile(f"[{_LOOK_ALIKES}]")
_ATTRIBUTE_LOOK_ALIKES = re.compile(f"[{_LOOK_ALIKES}\uff02\uff07]")
_PLAIN = re.compile(r"[A-Za-z0-9_.-]*")
_BLANKS = re.compile(r"\s+")


def make_nonce() -> str:
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(NONCE_LENGTH))


def remove_unseen_characters(text: str) -> str:
    """Return ``text`` as a reader sees it: no terminal sequences, control, invisible or bidi characters.

    Lines and tabs stay; every kind of line end becomes ``\\n``; nothing at the ends.
    """
    if text.replace("\n", " ").replace("\t", " ").isprintable():  # no control character, line end or surrogate
        return remove_invisible(text).strip()
    return _NOT_IN_XML.sub("", _LINE_END.sub("\n", _ANSI.sub("", remove_invisible(text)))).strip()


def escape_body(text: str) -> str:
    """Return ``text`` as the body of an element. Quotes stay: they delimit nothing there, and cost tokens escaped."""
    body = _escape_signs(remove_unseen_characters(text), _BODY_REFERENCES, _BODY_LOOK_ALIKES)
    return _escape_matches(body, _BRACKETS) if _BRACKET.search(body) else body


def escape_attribute(text: str) -> str:
    """Return ``text`` as the value of an attribute in double quotes, on one line."""
    if _PLAIN.fullmatch(text):
        return text
    value = _BLANKS.sub(" ", remove_unseen_characters(text))
    value = _escape_signs(value, _ATTRIBUTE_REFERENCES, _ATTRIBUTE_LOOK_ALIKES)
    return _escape_matches(value, _BRACKETS) if _BRACKET.search(value) else value


def render_opening_tag(name: str, attributes: Mapping[str, str]) -> str:
    """Return the opening tag of an element; values are escaped here."""
    return "".join([f"<{name}", *(f' {key}="{escape_attribute(value)}"' for key, value in attributes.items()), ">"])


def render_element(name: str, attributes: Mapping[str, str], body: str) -> str:
    """Return one well-formed element; ``body`` and values are escaped here."""
    return f"{render_opening_tag(name, attributes)}{escape_body(body)}</{name}>"


def break_forged_markup(text: str) -> str:
    """Return a message without anything that looks like our elements or the end of a turn; other markup stays."""
    seen = remove_unseen_characters(text)
    return _escape_matches(seen, _FORGED) if _OPENING.search(seen) else seen


def detect_guardrail(text: str) -> Guardrail | None:
    """Return the most serious problem that the fence finds in ``text``; None if it finds no problem."""
    seen = remove_unseen_characters(text)
    if _OPENING.search(seen) and _MARKUP.search(_normalise_to_nfkc(seen)[0]):
        return Guardrail.FORGED_MEMORY
    unseen = len(seen) < len(text.strip()) and len(seen) < len(_LINE_END.sub("\n", text).strip())
    return Guardrail.UNSEEN_CHARACTERS if unseen else None


def _escape_signs(text: str, references: Mapping[str, str], look_alikes: re.Pattern[str]) -> str:
    """Return ``text`` with references for these signs, and for each of the look-alikes.

    ``str.translate`` does the same and takes ten times as long: it looks every character up.
    """
    for sign, reference in references.items():
        text = text.replace(sign, reference)
    return text if text.isascii() else look_alikes.sub(_write_reference, text)


def _write_reference(match: re.Match[str]) -> str:
    return f"&#x{ord(match.group()):X};"


def _escape_matches(text: str, pattern: re.Pattern[str]) -> str:
    """Return ``text`` with the first sign of each match of ``pattern`` written as a reference."""
    form, places = _normalise_to_nfkc(text)
    told, end = [], 0
    for found in pattern.finditer(form):
        begin = found.start() if places is None else places[found.start()]
        told += [text[end:begin], "&lt;" if found.group() == "<" else f"&#x{ord(text[begin]):X};"]
        end = begin + 1
    return "".join([*told, text[end:]])


def _normalise_to_nfkc(text: str) -> tuple[str, list[int] | None]:
    """Return ``text`` in NFKC, and the place in ``text`` of each of its characters; None where nothing moved."""
    if text.isascii():
        return text, None
    parts = ["<" if sign == "\u226e" else unicodedata.normalize("NFKC", sign) for sign in text]
    form = "".join(parts)
    if len(form) == len(text):
        return form, None
    return form, [place for place, part in enumerate(parts) for _ in part]


def inspect_text(text: str) -> TextLooks:
    return TextLooks(
        plain=escape_body(text) == text,
        instructs=is_instruction(fold_for_matching(text)),
        guardrail=detect_guardrail(text),
    )


INSPECTED_TEXTS = TextCache(inspect_text, DEFAULT_CONTEXT.texts_remembered)
