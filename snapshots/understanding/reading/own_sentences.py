"""The speaker's own sentences of a message, each with its place: corrections are read in whole sentences."""

from collections.abc import Iterator
from dataclasses import dataclass

from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.config import EXTRACTION
from snapshots.understanding.reading.clauses import blank_others_words, list_sentence_spans
from snapshots.understanding.reading.text_folding import detect_rule_language
from snapshots.understanding.values import Evidence, Utterance

_BETWEEN_WORDS = " ,\t"


@dataclass(frozen=True, slots=True)
class OwnSentence:
    """One sentence in matching form, from character ``start`` of its message."""

    utterance: Utterance
    text: str
    start: int
    language: str

    @property
    def masked_words(self) -> str:
        """The user's own words, sensitive data masked: a person is shown them as the reason."""
        words = self.utterance.text[self.start : self.start + len(self.text)]
        return mask_sensitive(words.strip())[0]

    def build_evidence(self) -> Evidence:
        return Evidence(self.utterance.message_key, self.masked_words, self.start)


def split_own_sentences(utterance: Utterance) -> list[OwnSentence]:
    """Return the sentences of a message in order; none where its words are not the speaker's own."""
    form = blank_others_words(utterance.text[: EXTRACTION.max_analysed_chars])
    return [
        OwnSentence(utterance, form[start:end], start, detect_rule_language(form[start:end]))
        for begin, stop, _ in (list_sentence_spans(form) if form else ())
        for start, end in _limit_length(form, begin, stop, EXTRACTION.max_sentence_chars)
    ]


def _limit_length(form: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield a sentence in pieces, cut between words: patterns cost the square of its length."""
    while end - start > longest:
        most = start + longest
        cut = next((at for at in range(most, start, -1) if form[at - 1] in _BETWEEN_WORDS), most)
        yield start, cut
        start = cut
    yield start, end
