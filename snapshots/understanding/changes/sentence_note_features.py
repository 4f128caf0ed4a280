"""Features of a sentence and a note: words, figures and kinds of things that both share, and their similarity.

A note that shares nothing with a sentence is left out. Vectors come from the bundled sentence encoder.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from memory_platform.kernel.keyword_terms import split_terms
from snapshots.understanding.changes.change_words import find_cues, find_thing_kinds, load_cue_patterns
from snapshots.understanding.changes.mentioned_people import SELF, find_mentioned_people, is_about_stranger
from snapshots.understanding.changes.numbers_and_dates import NUMBER, find_figures
from snapshots.understanding.changes.replacement_patterns import find_replacements
from snapshots.understanding.grading.sentence_vectors import Vectors
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching

# Cues that something ended. "now" counts only beside another one.
STRONG = frozenset({"over", "left", "instead", "wrong", "figure", "again"})
# Cues that nothing ended.
HOLDING = frozenset({"still", "also", "supposed", "planned", "once", "asked", "unclear"})
# Cues that nothing has changed for good: such a sentence makes a note doubtful at most.
NOT_SAID = frozenset({"supposed", "planned", "asked", "still", "once", "unreal"})
# A word is rare that one held note in so many holds; a note leads that is nearer than all others by this much.
_RARE_SHARE, _AHEAD = 50, 0.05
_SHORT, _SMALL = 4, 5


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note as sentences are compared with it. ``about`` is ``self`` or the label of a contact or thing."""

    text: str
    about: str = SELF
    vital_class: str = ""

    @property
    def is_vital(self) -> bool:
        return bool(self.vital_class)


@dataclass(frozen=True, slots=True)
class SaidSentence:
    """A sentence that may end something, the words just before it ("" for none), and the probabilities that it changes
    something and that it is about somebody else, 0..1."""

    text: str
    before: str = ""
    change: float = 0.5
    other: float = 0.0


@dataclass(frozen=True, slots=True)
class _SentenceWords:
    """Values computed once for a sentence and compared with every note."""

    words: frozenset[str]
    around: frozenset[str]
    kinds: frozenset[str]
    kinds_around: frozenset[str]
    figures: Mapping[str, frozenset[str]]
    old: tuple[str, ...]
    new: tuple[str, ...]
    cues: frozenset[str]
    form: str
    form_before: str


def may_mean_note(sentence: SaidSentence, note: NoteText) -> bool:
    """Return whether a note may be meant: it shares a word, a kind of thing or a person with the sentence or the words
    before it."""
    words, kinds = list_words(note.text) | list_words(note.about), find_thing_kinds(fold_for_matching(note.text))
    for text in filter(None, (sentence.text, sentence.before)):
        if words & list_words(text) or kinds & find_thing_kinds(fold_for_matching(text)):
            return True
    return bool(find_mentioned_people(sentence.text).people & find_mentioned_people(note.text).people)


def list_pair_texts(sentence: SaidSentence, notes: Iterable[NoteText]) -> list[str]:
    wanted = dict.fromkeys(_split_parts(sentence.text))
    if sentence.before:
        wanted[_join_with_text_before(sentence)] = None
    wanted.update(dict.fromkeys(one.text for one in notes))
    return list(wanted)


def compute_features(sentence: SaidSentence, notes: Sequence[NoteText], vectors: Vectors) -> list[dict[str, float]]:
    """Return the features of each note beside a sentence, by name. Raises KeyError without a vector."""
    side = _analyse_sentence(sentence)
    parts = np.stack([vectors[part] for part in _split_parts(sentence.text)])
    own = np.stack([vectors[one.text] for one in notes])
    near = (own @ parts.T).max(axis=1)
    asked = own @ vectors[_join_with_text_before(sentence)] if sentence.before else np.zeros(len(notes), np.float32)
    words = Counter(word for one in notes for word in list_words(one.text))
    kinds = Counter(kind for one in notes for kind in find_thing_kinds(fold_for_matching(one.text)))
    found = []
    for place, one in enumerate(notes):
        rest = np.delete(near, place)
        close = {
            "near": float(near[place]),
            "leads": float(near[place] - rest.max()) if len(rest) else float(near[place]),
        }
        row = {
            **close,
            "asked": float(asked[place]),
            **_compute_shared_features(side, one, words, kinds, 1 + len(notes) // _RARE_SHARE),
        }
        row |= _compute_figure_features(side, one) | _compute_person_features(sentence, side, one)
        found.append({**_compute_sentence_features(sentence, side), **_add_combinations(row, side)})
    return found


def names_note_as_over(sentence: SaidSentence, note: NoteText) -> bool:
    """Return whether a sentence names something as over that only has words of the note."""
    words = list_words(note.text)
    return any(old and old <= words for old in map(list_words, _analyse_sentence(sentence).old))


@lru_cache(maxsize=8_192)
def list_words(text: str) -> frozenset[str]:
    """Return the words of a text; of Chinese its pairs of characters."""
    return frozenset(term for term in split_terms(text) if len(term) > 1 or not "\u3400" <= term <= "\u9fff")


@lru_cache(maxsize=256)
def _split_parts(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([text, *(clause.text for clause in split_clauses(text))]))


def _join_with_text_before(sentence: SaidSentence) -> str:
    return f"{sentence.before} {sentence.text}"


@lru_cache(maxsize=256)
def _analyse_sentence(sentence: SaidSentence) -> _SentenceWords:
    form, before = fold_for_matching(sentence.text), fold_for_matching(sentence.before)
    named = list(find_replacements(form, detect_rule_language(form)))
    return _SentenceWords(
        words=list_words(sentence.text),
        around=list_words(sentence.before),
        kinds=find_thing_kinds(form),
        kinds_around=find_thing_kinds(before),
        figures=find_figures(sentence.text),
        old=tuple(form[slice(*one.old)] for one in named),
        new=tuple(form[slice(*one.new)] for one in named if one.new),
        cues=find_cues(form),
        form=form.lower(),
        form_before=before.lower(),
    )


def _compute_sentence_features(sentence: SaidSentence, side: _SentenceWords) -> dict[str, float]:
    cues = {f"cue_{row.name}": float(row.name in side.cues) for row in load_cue_patterns("cues")}
    return {
        **cues,
        "change": sentence.change,
        "holding": len(side.cues & HOLDING) / 3,
        "is_said": bool(side.cues & (STRONG | {"now"})) and not side.cues & NOT_SAID,
        "short": len(side.words) <= _SHORT,
    }


def _compute_shared_features(
    side: _SentenceWords, one: NoteText, words: Mapping[str, int], kinds: Mapping[str, int], rare: int
) -> dict[str, float]:
    """``alone`` counts words that few other notes hold."""
    own, own_kinds = list_words(one.text), find_thing_kinds(fold_for_matching(one.text))
    shared, alike = own & side.words, own_kinds & side.kinds
    around, kinds_around = own & side.around, own_kinds & side.kinds_around
    olds = [old for old in map(list_words, side.old) if old]
    old = max((len(each & own) / len(each) for each in olds), default=0.0)
    form = fold_for_matching(one.text).lower()
    return {
        "shared": min(len(shared), 4) / 4,
        "alone": min(sum(words[word] <= rare for word in shared), 3) / 3,
        "ties": min(sum(words[word] > rare for word in shared), 3) / 3,
        "share_held": len(shared) / max(1, len(own)),
        "share_said": len(shared) / max(1, len(side.words)),
        "kinds": min(len(alike), 3) / 3,
        "kinds_alone": min(sum(kinds[kind] <= rare for kind in alike), 2) / 2,
        "kinds_apart": bool(side.kinds) and not alike,
        "around": min(len(around), 3) / 3,
        "kinds_around": min(len(kinds_around), 2) / 2,
        "small_around": len(side.words) <= _SMALL and bool(around),
        "none_shared": not shared and not alike and not around,
        "old": old,
        "old_all": old == 1.0,
        "old_literal": any(len(each.strip()) > 1 and each.strip().lower() in form for each in side.old),
        "old_alone": any(each <= own and any(words[word] <= rare for word in each) for each in olds),
        "new_same": any(each and each <= own for each in map(list_words, side.new)),
    }


def _compute_figure_features(side: _SentenceWords, one: NoteText) -> dict[str, float]:
    own = find_figures(one.text)
    both = [sort for sort, values in own.items() if values and side.figures[sort]]
    differ = [sort for sort in both if not own[sort] & side.figures[sort]]
    return {
        "clash": min(sum(sort != NUMBER for sort in differ), 2) / 2,
        "same": min(len(both) - len(differ), 2) / 2,
        "number_clash": NUMBER in differ,
    }


def _compute_person_features(sentence: SaidSentence, side: _SentenceWords, one: NoteText) -> dict[str, float]:
    said, known = find_mentioned_people(sentence.text), find_mentioned_people(one.text)
    is_self = one.about == SELF
    label = one.about.lower()
    here, before = (not is_self and label in form for form in (side.form, side.form_before))
    people = known.people | (find_mentioned_people(one.about).people if not is_self else frozenset())
    named = bool(said.people & people) or here or before or bool(list_words(one.about) & side.words)
    return {
        "self": is_self,
        "label": here,
        "label_before": before,
        "mentions": bool(said.people & people),
        "stranger": is_about_stranger(
            sentence.text, one.text, one.about, before=sentence.before, other_share=sentence.other
        ),
        "other_owner": not is_self and not said.is_third and not named,
        "third_other": said.is_third and not is_self,
        "vital": one.is_vital,
    }


def _add_combinations(row: dict[str, float], side: _SentenceWords) -> dict[str, float]:
    strong, going = bool(side.cues & STRONG), bool(side.cues & (STRONG | {"now"}))
    first, shared, alike = row["leads"] > 0, bool(row["shared"]), bool(row["kinds"])
    differ = bool(row["clash"] or row["number_clash"])
    return {
        **row,
        "first": first,
        "near_beyond": max(0.0, row["near"] - 0.4),
        "going_old": going * row["old"],
        "going_alone": going * row["alone"],
        "going_kinds": going * row["kinds_alone"],
        "going_near": going * max(0.0, row["near"] - 0.3),
        "going_first": going * (row["leads"] > _AHEAD),
        "strong_shared": strong * row["shared"],
        "strong_kinds": strong * row["kinds"],
        "strong_first_kinds": strong * first * alike,
        "strong_vital": strong * row["vital"],
        "clash_shared": bool(row["clash"]) * shared,
        "clash_kinds": bool(row["clash"]) * alike,
        "clash_first": differ * first,
        "holding_alone": bool(side.cues & HOLDING) * bool(row["alone"]),
        "holding_going": bool(side.cues & HOLDING) * going,
        "stranger_going": row["stranger"] * going,
    }
