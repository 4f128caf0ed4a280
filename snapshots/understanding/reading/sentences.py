"""The speaker's own sentences of a message, each with its place: corrections are read in whole sentences."""

from collections.abc import Iterator
from dataclasses import dataclass

from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.believing.policy import EXTRACTION, ExtractionPolicy
from snapshots.understanding.reading.clauses import cut_sentences, own_form
from snapshots.understanding.reading.forms import language_of
from snapshots.understanding.values import Evidence, Utterance

_BETWEEN_WORDS = " ,\t"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in matching form, from character ``start`` of its message."""

    utterance: Utterance
    text: str
    start: int
    language: str

    @property
    def said(self) -> str:
        """The user's own words, sensitive data masked: a person is shown them as the reason."""
        words = self.utterance.text[self.start : self.start + len(self.text)]
        return mask_sensitive(words.strip())[0]

    def evidence(self) -> Evidence:
        return Evidence(self.utterance.message_key, self.said, self.start)


def split_sentences(utterance: Utterance, *, policy: ExtractionPolicy = EXTRACTION) -> list[Sentence]:
    """Return the sentences of a message in order; none where its words are not the speaker's own."""
    form = own_form(utterance.text[: policy.max_analysed_chars])
    return [
        Sentence(utterance, form[start:end], start, language_of(form[start:end]))
        for begin, stop, _ in (cut_sentences(form) if form else ())
        for start, end in _bounded(form, begin, stop, policy.max_sentence_chars)
    ]


def _bounded(form: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield a sentence in pieces, cut between words: patterns cost the square of its length."""
    while end - start > longest:
        most = start + longest
        cut = next((at for at in range(most, start, -1) if form[at - 1] in _BETWEEN_WORDS), most)
        yield start, cut
        start = cut
    yield start, end
