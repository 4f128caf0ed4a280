"""Other wordings of a question, by a chat model where one is configured."""

from collections.abc import Iterable

from pydantic import BaseModel, Field

from memory_platform.kernel.caches import LruCache
from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.text import collapse_spaces, content_hash, detect_language, to_comparable
from memory_platform.providers.contracts import ChatModel, Preparable
from snapshots.recall.config import REWRITE_POLICY, RewriteConfig
from snapshots.recall.rewording.prompts import REWRITE, REWRITE_WITH_PASSAGE

_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})

# Wordings by model, prompt and hash of the question: the same question is rewritten once by a process.
_KEPT: LruCache[tuple[str, str, bytes], tuple[str, ...]] = LruCache(REWRITE_POLICY.kept)


class Wordings(BaseModel):
    """The answer of the model."""

    wordings: list[str] = Field(default_factory=list, description="Other wordings of the question, at most 3.")
    passage: str = Field(default="", description="A sentence that could answer the question, when asked for.")


def rewrite_question(
    text: str, model: ChatModel, *, passage: bool, config: RewriteConfig = REWRITE_POLICY
) -> tuple[str, ...] | None:
    """Return other wordings of ``text``; None without a timely answer. No transaction may be open.

    With ``passage`` an imagined answer is the last of them (HyDE: Gao et al., ACL 2023).
    """
    prompt = REWRITE_WITH_PASSAGE if passage else REWRITE
    key = (model.name, prompt.version, content_hash(text))
    kept = _KEPT.get(key)
    if kept is not None or not to_comparable(text):
        return kept or ()
    if isinstance(model, Preparable) and not model.ready:
        return None  # still being prepared, which takes longer than anybody waits
    try:
        answer = model.answer(prompt.text(detect_language(text)), fence_question(text, config), Wordings)
    except Unavailable:
        return None
    found = _clean_wordings(text, [*answer.wordings[: config.variants], answer.passage if passage else ""], config)
    _KEPT.put(key, found)
    return found


def fence_question(text: str, config: RewriteConfig) -> str:
    """Return the question inside an element that it can neither close nor imitate."""
    shown = collapse_spaces(text)[: config.question_chars].encode("utf-8", "replace").decode()
    return f"<question>{shown.translate(_ESCAPED)}</question>"


def _clean_wordings(text: str, offered: Iterable[str], config: RewriteConfig) -> tuple[str, ...]:
    """Return each wording once and shortened, without blanks and without the question itself."""
    found: dict[str, str] = {}
    for wording in offered:
        same = to_comparable(wording)
        if same and same != to_comparable(text):
            found.setdefault(same, collapse_spaces(wording)[: config.wording_chars])
    return tuple(found.values())
