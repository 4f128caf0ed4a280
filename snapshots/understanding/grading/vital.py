"""Why words are vital that somebody marked so by hand, and whether they may be."""

from itertools import pairwise

from snapshots.notes.values import VitalInstruction
from snapshots.understanding.grading.cues import vital_cues
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.reading.instructions import is_instruction
from snapshots.understanding.reading.links import has_link
from snapshots.understanding.reading.vital import leads_model


def suggest_vital_class(text: str) -> str:
    """Return the class of the first cue in ``text``, "" where it has none. Raises VitalInstruction."""
    form = matching_form(text)
    clauses = [matching_form(clause.text) for clause in split_clauses(text)]
    leads = any(leads_model(clause, before) for before, clause in pairwise(("", *clauses)))
    if leads or has_link(text) or is_instruction(form):
        raise VitalInstruction
    return next(iter(vital_cues(form)), "")
