"""The numbers of the providers."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured


@dataclass(frozen=True, slots=True)
class EmbeddedPolicy:
    """What the models inside the process may cost."""

    text_chars: int = measured(512, source="use-multilingual-v3: 0.2 ms a Chinese character; 65,536 of them take 20 s")
    """Longer texts are read up to here by a model whose cost grows by the token."""
    questions_kept: int = assumed(2_048, owner="providers", settle_by="share of questions asked again in production")
    """Vectors of single texts that a process keeps: 4 MB of 512 dimensions."""
    related_cosine: float = assumed(0.40, owner="providers", settle_by="coverage by the cosine of widened terms")
    related_words: int = assumed(40, owner="providers", settle_by="coverage by the number of widened terms")
    words_kept: int = assumed(8_192, owner="providers", settle_by="distinct words of a day's questions")
    """Words whose relations a process keeps."""


EMBEDDED = EmbeddedPolicy()
