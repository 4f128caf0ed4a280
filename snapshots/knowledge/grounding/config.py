"""The numbers of checking sentences against documents, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised

_SENTENCES = "100 sentences of grounding_sentences.json that are not held out; lab/notes/grounding.md"


@dataclass(frozen=True, slots=True)
class GroundingLimits:
    """How much is read."""

    # Sentences of a text, the first ones.
    sentences: int = promised(50)
    sentences_most: int = promised(200)
    # Chunks that a sentence is compared with: 94 of 100 sentences have theirs among them.
    chunks: int = measured(8, source=_SENTENCES)
    # Of their sentences and pairs of adjacent ones, those with the most words in common are embedded.
    embedded: int = measured(8, source=_SENTENCES)
    sentence_characters: int = assumed(1_000, owner="knowledge", settle_by="lengths of sentences of real answers")
    # What a chat model reads: so many chunks in all, and so much of each.
    chunks_judged: int = assumed(24, owner="knowledge", settle_by="verdicts of a real chat model")
    passage_characters: int = assumed(2_500, owner="knowledge", settle_by="verdicts of a real chat model")
    window_characters: int = assumed(400, owner="knowledge", settle_by="lengths of sentences of real documents")


@dataclass(frozen=True, slots=True)
class EvidenceChoice:
    """Bounds for a document's sentence to be the evidence for a sentence: words and meaning in common."""

    words: float = measured(0.5, source=_SENTENCES)
    meaning: float = measured(0.5, source=_SENTENCES)
    # A pair of sentences must beat a single one by this much.
    pair: float = measured(0.05, source=_SENTENCES)
    # The share of its weight that a word counts which stands only in a heading.
    heading_share: float = measured(0.5, source=_SENTENCES)
    # Below this likeness the evidence is of another matter, and contradicts nothing.
    least: float = measured(0.4, source=_SENTENCES)


@dataclass(frozen=True, slots=True)
class EvidenceSupport:
    """The log-odds that the evidence supports a sentence: a logistic regression over sentences and their evidence, of
    those between which no fact differs."""

    base: float = measured(-4.6, source=_SENTENCES)
    words: float = measured(3.7, source=_SENTENCES)
    meaning: float = measured(6.3, source=_SENTENCES)
    # What is left of the support when a fact differs: of 86 such pairs 6 were right all the same.
    differing: float = measured(0.3, source=_SENTENCES)
    # From here on a sentence is called supported.
    supported: float = measured(0.5, source=_SENTENCES)


LIMITS = GroundingLimits()
EVIDENCE = EvidenceChoice()
SUPPORT = EvidenceSupport()
