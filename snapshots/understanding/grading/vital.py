"""Why words are vital that somebody marked so by hand, and whether they may be."""

from snapshots.notes.values import VitalInstruction
from snapshots.understanding.grading.cues import vital_cues
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.reading.instructions import is_instruction
from snapshots.understanding.reading.vital import sends_to_link


def suggest_vital_class(text: str) -> str:
    """Return the class of the first cue in ``text``, "" where it has none. Raises VitalInstruction."""
    form = matching_form(text)
    if is_instruction(form) or sends_to_link(form):
        raise VitalInstruction
    return next(iter(vital_cues(form)), "")
