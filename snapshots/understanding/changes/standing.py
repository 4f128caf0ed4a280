"""What no later sentence ends: what happened stays so whatever happens after it, and what is said once more holds."""

from snapshots.understanding.changes.pairs import HeldText, Sentence
from snapshots.understanding.changes.words import cues_in, events_in
from snapshots.understanding.drafting.repeats import says_the_same
from snapshots.understanding.reading.forms import matching_form


def stands_beside(sentence: Sentence, held: HeldText) -> bool:
    """Return whether a held note stands whatever the words of a sentence share with it: the sentence says the same, or
    both tell that the same was done, and nothing is put right ("I bought 3 tickets" beside "I bought 5 tickets")."""
    if says_the_same(sentence.text, held.text):
        return True
    form = matching_form(sentence.text)
    return bool(events_in(form) & events_in(matching_form(held.text))) and "wrong" not in cues_in(form)
