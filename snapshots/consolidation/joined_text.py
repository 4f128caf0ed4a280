"""The text of a joined memory: a model's text if one is configured and its text is supported, else by rules.

A model's statement must pass the same test as the memories themselves: it could have been joined with each of them. So
it can neither reverse a meaning nor add a word that nobody said.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from memory_platform.kernel.text import detect_language
from memory_platform.providers.chat_prompts import fence_rule, fence_text, new_nonce
from memory_platform.providers.contracts import ChatModel, ChatPrompt, ChatUnavailable, InvalidOutput
from snapshots.consolidation.config import CONSOLIDATION, ConsolidationConfig
from snapshots.consolidation.meaning_comparison import have_equal_meaning, list_added_sentences, parse_meaning
from snapshots.consolidation.prompts import JOIN
from snapshots.consolidation.similar_groups import SimilarGroup


@dataclass(frozen=True, slots=True)
class JoinedText:
    """The text of a joined memory; ``fell_back``: a model should have written it, and rules did."""

    text: str
    fell_back: bool = False


class JoinedTextWriter:
    def __init__(self, model: ChatModel | None, config: ConsolidationConfig = CONSOLIDATION) -> None:
        self._model = model
        self._policy = config
        self._is_down = False
        self._ends_at = time.monotonic() + config.writing_s

    def write_text(self, group: SimilarGroup) -> JoinedText:
        """Return the text of a group. With a model, no transaction may be open."""
        by_rules = join_by_rules(group)
        if self._model is None:
            return JoinedText(by_rules)
        if self._is_down or time.monotonic() >= self._ends_at:
            return JoinedText(by_rules, fell_back=True)
        texts = [member.text for member in group.members]
        try:
            text = self._model.text(build_join_prompt(texts)).value.strip()
        except InvalidOutput:
            return JoinedText(by_rules, fell_back=True)
        except ChatUnavailable:
            self._is_down = True
            return JoinedText(by_rules, fell_back=True)
        return (
            JoinedText(text) if is_text_supported(text, texts, self._policy) else JoinedText(by_rules, fell_back=True)
        )


def join_by_rules(group: SimilarGroup) -> str:
    texts = sorted((member.text for member in group.members), key=len, reverse=True)
    return " ".join([texts[0], *list_added_sentences(texts[0], texts[1:])])


def build_join_prompt(texts: Sequence[str]) -> ChatPrompt:
    language = "zh" if detect_language("\n".join(texts)) == "zh" else "en"
    nonce = new_nonce()
    return ChatPrompt(
        f"{JOIN.text(language)}\n{fence_rule(language, nonce)}", "\n".join(fence_text(text, nonce) for text in texts)
    )


def is_text_supported(text: str, texts: Sequence[str], config: ConsolidationConfig = CONSOLIDATION) -> bool:
    if not text or len(text) > min(sum(map(len, texts)), config.longest):
        return False
    meaning, meanings = parse_meaning(text), [parse_meaning(one) for one in texts]
    if not all(have_equal_meaning(meaning, one, least_shared=config.least_shared) for one in meanings):
        return False
    said = {word for one in meanings for words in one.sentences for word in words}
    told = {word for words in meaning.sentences for word in words}
    return told == said
