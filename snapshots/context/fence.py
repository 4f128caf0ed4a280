"""The prompt fence: stored text enters a prompt as data, inside an element that it can neither close nor imitate.

What XML would read as markup is escaped, what a reader would not see is removed, and memories of the second message
carry a nonce that no stored text can know. Everything here is linear in the length of the text.
"""

import re
import secrets
import string
from collections.abc import Mapping

from memory_platform.kernel.text import visible
from snapshots.context.values import Guardrail

MEMORY = "user_memory"
NONCE_LENGTH = 10
"""Letters, 47 bits: one guess a response. Letters only, so that every nonce costs the same tokens."""

_ANSI = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)"  # operating system command: titles, hidden links
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # control sequence: colours, cursor, erased lines
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_NOT_IN_XML = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_FORGED = re.compile(rf"<(?=\s*(?:/\s*)?{MEMORY})", re.IGNORECASE)
_MARKUP = re.compile(
    r"<\s*(?:/\s*)?(?:user_memory|memory|system|assistant|instructions?)\b|<!\[CDATA\[|<\||\[/?INST\]|<<\s*/?SYS",
    re.IGNORECASE,
)
_LOOK_ALIKES = "\uff1c\ufe64\uff1e\ufe65\uff06\ufe60\uff02"
"""Signs that become markup where a reader puts the prompt in NFKC: wide and small < > & and the wide quote."""
_BODY = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"} | {sign: f"&#x{ord(sign):X};" for sign in _LOOK_ALIKES}
)
_ATTRIBUTE = _BODY | str.maketrans({"'": "&#39;", "\uff07": "&#xFF07;"})
_IN_BODY = re.compile(f'[&<>"{_LOOK_ALIKES}]')
_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0xFE64: "<", 0xFE65: ">"}
"""Wide characters to those that they look like, one for one."""
_QUOTING_APOSTROPHE = re.compile(r"(?<!\w)'|'(?!\w)")
_PLAIN = re.compile(r"[A-Za-z0-9_.-]*")
_BLANKS = re.compile(r"\s+")


def new_nonce() -> str:
    """Return a fresh nonce for one response."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(NONCE_LENGTH))


def shown(text: str) -> str:
    """Return ``text`` as a reader sees it: no terminal sequences, control, invisible or bidi characters.

    Lines and tabs stay; every kind of line end becomes ``\\n``; nothing at the ends.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    return _NOT_IN_XML.sub("", _LINE_END.sub("\n", _ANSI.sub("", visible(text)))).strip()


def escaped(text: str) -> str:
    """Return ``text`` as the body of an element. An apostrophe inside a word stays: it can delimit nothing there, and
    escaped it would cost two tokens in every "I'm"."""
    body = shown(text)
    if _IN_BODY.search(body):
        body = body.translate(_BODY)
    return _QUOTING_APOSTROPHE.sub("&#39;", body) if "'" in body else body


def escaped_attribute(text: str) -> str:
    """Return ``text`` as the value of an attribute in double quotes, on one line."""
    if _PLAIN.fullmatch(text):
        return text
    return _BLANKS.sub(" ", shown(text)).translate(_ATTRIBUTE)


def opening(name: str, attributes: Mapping[str, str]) -> str:
    """Return the opening tag of an element; values are escaped here."""
    return "".join([f"<{name}", *(f' {key}="{escaped_attribute(value)}"' for key, value in attributes.items()), ">"])


def element(name: str, attributes: Mapping[str, str], body: str) -> str:
    """Return one well-formed element; ``body`` and values are escaped here."""
    return f"{opening(name, attributes)}{escaped(body)}</{name}>"


def unforged(text: str) -> str:
    """Return what somebody said with nothing in it that looks like an element of ours; all other markup stays."""
    seen = shown(text)
    begins = [found.start() for found in _FORGED.finditer(narrowed(seen))]
    ends = [0, *(begin + 1 for begin in begins)]
    return "&lt;".join(seen[end:begin] for end, begin in zip(ends, [*begins, len(seen)], strict=True))


def narrowed(text: str) -> str:
    """Return ``text`` with wide characters as those that they look like; every place stays."""
    return text if text.isascii() else text.translate(_NARROW)


def guardrail_of(text: str) -> Guardrail | None:
    """Return the gravest thing that the fence meets in ``text``; None when there is nothing."""
    seen = shown(text)
    if _MARKUP.search(narrowed(seen)):
        return Guardrail.FORGED_MEMORY
    unseen = len(seen) < len(text.strip()) and len(seen) < len(_LINE_END.sub("\n", text).strip())
    return Guardrail.UNSEEN_CHARACTERS if unseen else None
