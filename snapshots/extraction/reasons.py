"""The sentence that a person is shown as the reason of what was learned."""

from snapshots.extraction.observe import Clause
from snapshots.sensitive.detector import mask_sensitive


def statement_of(clause: Clause) -> str:
    """Return the whole sentence in the user's words, sensitive data masked: what a person is shown as the reason."""
    end = clause.sentence_start + len(clause.sentence)
    return mask_sensitive(clause.utterance.text[clause.sentence_start : end].strip())[0]
