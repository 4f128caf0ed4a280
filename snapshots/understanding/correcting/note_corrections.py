"""Find the note that a sentence corrects, and its corrected words: "It's 2:45 now, not 3:15", 打错了,是周四. Pure.

A figure is replaced by another of its sort, and nothing else changes: with other words the note would become a sentence
that nobody said. Everything else in the sentence must stand in the note; a sentence that says more is a note of its
own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.changes.change_words import find_cues
from snapshots.understanding.changes.mentioned_people import SELF, find_mentioned_people, is_about_stranger
from snapshots.understanding.changes.sentence_note_features import NoteText, SaidSentence
from snapshots.understanding.correcting.times_and_amounts import TypedValue, find_typed_values
from snapshots.understanding.reading.text_folding import fold_for_matching

_NOT_MEANT = frozenset({"supposed", "once", "unreal", "asked"})
_RE = load_patterns(Path(__file__).with_name("note_corrections.toml"))
_FILLERS = frozenset(
    re.findall(
        r"\S+",
        "i i'm i've it it's its is was are be been that that's this there a an the at on in of for to from by not "
        "no nope now then and but so or instead rather than sorry oh oops whoops hang wait actually correction "
        "typo mistake bad wrong scratch make meant mean meaning said say says write wrote type typed put should "
        "please well right just my our me we you have any more anymore longer again got mixed up misspoke don't "
        "isn't wasn't n't yeah yes hm hmm ah er um time date day days number also did didn't do one thinking "
        "moved changed rescheduled pushed they rang called",
    )
)
_MEASURES = frozenset({"number", "amount"})


@dataclass(frozen=True, slots=True)
class FigureCorrection:
    """``wrong`` (None: not named) and ``right`` are figures of one sort; ``beside`` holds the other words of the
    sentence."""

    wrong: TypedValue | None
    right: TypedValue
    text: str
    beside: frozenset[str]
    # The sentence gives somebody's new number: their old one is wrong wherever it stands.
    is_new_number: bool = False
    # The sentence sets a number that was set just before.
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class CorrectedNote:
    """The corrected text of the note at ``place``, and its ``wrong`` words. ``is_all``: the sentence says nothing
    else."""

    place: int
    text: str
    wrong: str
    is_all: bool = True


def find_figure_corrections(sentence: SaidSentence) -> list[FigureCorrection]:
    """Return the possible corrections in a sentence; none that is asked, supposed or meant for once."""
    form = fold_for_matching(sentence.text)
    values = find_typed_values(sentence.text)
    if (
        _RE["this_week"].search(form) or find_cues(_blank_values(form, values)) & _NOT_MEANT
    ):  # "May 3rd" supposes nothing
        return []
    numbers = [one for one in values if one.sort == "phone"]
    if len(numbers) == 1 and _RE["new_number"].search(form):
        beside = _list_words_beside_values(_RE["of_numbers"].sub(" ", _blank_values(form, numbers)))
        return [FigureCorrection(None, numbers[0], sentence.text, beside, is_new_number=True)]
    wrong = [
        one
        for one in values
        if _RE["wrong_before"].search(form[: one.start])
        or _RE["moved"].search(form[: one.start])
        or _RE["wrong_behind"].match(form, one.end)
    ]
    found = [
        FigureCorrection(one, other, sentence.text, _list_words_beside_values(form, one, other))
        for one in wrong
        for other in values
        if other not in wrong and other.sort == one.sort and not other.equals(one)
    ]
    if found or wrong:
        return found if len(found) == 1 else []
    if len(values) == 1 and _RE["sets"].search(form[: values[0].start]):
        beside = _list_words_beside_values(_RE["set_to"].sub(" ", _blank_values(form, values)))
        return [FigureCorrection(None, values[0], sentence.text, beside, is_set=True)]
    if len(values) == 1 and _RE["meant"].search(form):
        return [FigureCorrection(None, values[0], sentence.text, _list_words_beside_values(form, values[0]))]
    return []


def correct_matching_notes(
    sentence: SaidSentence, notes: Sequence[NoteText], near: Sequence[int]
) -> list[CorrectedNote]:
    """Return the one note that a sentence corrects, or those that hold somebody's old number.

    ``near`` are the indexes of notes from the turns just before, the latest last. The latest is meant first, and no
    older note unless the wrong figure is named and rare, or other words are shared.
    """
    for one in find_figure_corrections(sentence):
        if one.is_new_number:
            return _replace_numbers(one, sentence, notes)
        is_told = one.wrong is not None and (one.beside or one.wrong.is_rare)
        far = range(len(notes)) if is_told else ()
        for places in (list(near)[::-1], far):
            found = [told for place in places if (told := _correct_note(one, sentence, place, notes[place]))]
            if found and (len(found) == 1 or places is not far):
                return found[:1]
    return []


def _replace_numbers(one: FigureCorrection, sentence: SaidSentence, notes: Sequence[NoteText]) -> list[CorrectedNote]:
    said = find_mentioned_people(sentence.text)
    found, keys = [], set()
    for place, note in enumerate(notes):
        own = [value for value in find_typed_values(note.text) if value.sort == "phone"]
        known = find_mentioned_people(note.text).people | (
            find_mentioned_people(note.about).people if note.about != SELF else frozenset()
        )
        # A sentence that names nobody is about the user, or about the one whose label it holds.
        text = sentence.text
        is_called = bool(_RE["me"].search(text)) if note.about == SELF else note.about.lower() in text.lower()
        is_theirs = said.people == known if said.people or known else is_called
        if len(own) == 1 and is_theirs:
            keys.add(own[0].key)
            span, new = _build_replacement(own[0], one.right, one.text, note.text)
            right = note.text[: span[0]] + new + note.text[span[1] :]
            rest = {word for word in one.beside if not find_mentioned_people(word).people} - _split_words(
                note.text.lower()
            )
            found.append(CorrectedNote(place, right, note.text[slice(*span)], is_all=not rest))
    return found if len(keys) == 1 and one.right.key not in keys else []


def _list_words_beside_values(form: str, *values: TypedValue) -> frozenset[str]:
    return _split_words(_RE["fillers_zh"].sub(" ", _blank_values(form, values))) - _FILLERS


def _blank_values(form: str, values: Sequence[TypedValue]) -> str:
    for one in values:
        form = form[: one.start] + " " * (one.end - one.start) + form[one.end :]
    return form


def _split_words(form: str) -> frozenset[str]:
    return frozenset(word.removesuffix("'s") for word in _RE["word"].findall(form.lower()))


def _correct_note(one: FigureCorrection, sentence: SaidSentence, place: int, note: NoteText) -> CorrectedNote | None:
    form = fold_for_matching(note.text)
    said = fold_for_matching(sentence.text)
    if _is_about_user_only(said, note) or is_about_stranger(
        sentence.text, note.text, note.about, before=sentence.before
    ):
        return None
    if not one.beside <= _split_words(form):
        return None
    value = _find_only_value_of_kind(one.right, note) if one.is_set else _find_wrong_value(one.right, one.wrong, note)
    if value is None:
        return None
    span, new = _build_replacement(value, one.right, one.text, note.text)
    text = note.text[: span[0]] + new + note.text[span[1] :]
    return CorrectedNote(place, text, note.text[slice(*span)])


def _is_about_user_only(sentence_form: str, note: NoteText) -> bool:
    theirs = find_mentioned_people(note.text).people | find_mentioned_people(note.about).people
    is_theirs = note.about != SELF or bool(theirs)
    return (
        is_theirs
        and _RE["own"].search(sentence_form) is not None
        and not find_mentioned_people(sentence_form).people & theirs
    )


def _find_wrong_value(right: TypedValue, wrong: TypedValue | None, note: NoteText) -> TypedValue | None:
    """Return the wrong figure of a note: the named one, else the only one of its sort. In vital notes only a named
    figure is corrected."""
    own = [value for value in find_typed_values(note.text) if value.sort == right.sort]
    if wrong is not None:
        meant = [value for value in own if value.equals(wrong)]
    elif right.sort == "amount":
        meant = own if not note.is_vital and all(value.key[1:] == right.key[1:] for value in own) else []
    else:
        meant = own if not note.is_vital and right.sort != "number" else []
    return meant[0] if len(meant) == 1 and not meant[0].equals(right) else None


def _find_only_value_of_kind(right: TypedValue, note: NoteText) -> TypedValue | None:
    own = [value for value in find_typed_values(note.text) if value.sort in _MEASURES or value.sort == right.sort]
    units = {value.key[1] for value in (*own, right) if value.sort == "amount"}
    is_meant = len(own) == 1 and len(units) < 2 and not note.is_vital  # noqa: PLR2004
    is_kind = own and (own[0].sort == right.sort or {own[0].sort, right.sort} <= _MEASURES)
    return own[0] if is_meant and is_kind and not own[0].equals(right) else None


def _build_replacement(value: TypedValue, right: TypedValue, sentence: str, note: str) -> tuple[tuple[int, int], str]:
    if (right.start, right.end) != right.core:
        return (value.start, value.end), sentence[right.start : right.end]
    new = sentence[slice(*right.core)]
    was = note[slice(*value.core)]
    is_again = right.sort == "weekday" and was.endswith("days") and not new.endswith("s") and new.isascii()
    return value.core, new + "s" if is_again else new
