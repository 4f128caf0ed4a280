"""The numbers of checking sentences against documents, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised

_SENTENCES = "sentences of grounding_sentences.json that are not held out; lab/notes/grounding.md"


@dataclass(frozen=True, slots=True)
class GroundingLimits:
    """How much is read."""

    # Sentences of a text, the first ones.
    sentences: int = promised(50)
    sentences_most: int = promised(200)
    # No sentence is begun later, but the first ones; so many are checked at once.
    seconds: float = assumed(4.0, owner="knowledge", settle_by="how long callers wait for an answer")
    at_once: int = assumed(4, owner="knowledge", settle_by="time of a batch on a loaded core")
    # Chunks that a sentence is compared with; in lab/notes/grounding.md, how many sentences have theirs among them.
    chunks: int = measured(8, source=_SENTENCES)
    # Of their sentences and pairs of adjacent ones, those with the most words in common are embedded: with 8 of them
    # the area under the curve is .90, with 12 and 16 .92 and .93.
    embedded: int = measured(16, source=_SENTENCES)
    # Before the evidence, for names that it leaves out.
    before_characters: int = measured(150, source=_SENTENCES)
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
    """The log-odds that evidence supports a sentence: a logistic regression over sentences, taught by
    ``lab.teaching.documents.support_weights``."""

    base: float = measured(-2.29, source=_SENTENCES)
    words: float = measured(0.95, source=_SENTENCES)
    meaning: float = measured(2.67, source=_SENTENCES)
    # For each 1 that the likest evidence with a differing fact is more like the sentence than the likest without.
    rival: float = measured(-5.80, source=_SENTENCES)
    # Where each evidence has a differing fact.
    contradicted: float = measured(-2.76, source=_SENTENCES)
    # The likeness of a rival where there is none: that of sentences about other matters.
    no_rival: float = measured(0.3, source=_SENTENCES)
    # From here on a sentence is called supported.
    supported: float = measured(0.5, source=_SENTENCES)


LIMITS = GroundingLimits()
EVIDENCE = EvidenceChoice()
SUPPORT = EvidenceSupport()
