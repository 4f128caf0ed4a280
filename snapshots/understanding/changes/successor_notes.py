"""A sentence about something that holds from now on becomes a note, even with a low grade, when it replaces a note
or says so itself: 我又开始抽烟了. A sentence that only ends something, asks, supposes or speaks of one occasion does
not."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from snapshots.understanding.changes.change_words import find_cues, load_state_patterns
from snapshots.understanding.changes.ending_classifier import EndingEffect
from snapshots.understanding.changes.note_ending_sentences import ChangingSentence, find_changing_sentences
from snapshots.understanding.changes.notes_ended_by_messages import MessageEndings, ReadMessage
from snapshots.understanding.changes.replacement_patterns import find_replacements
from snapshots.understanding.changes.sentence_note_features import NOT_SAID
from snapshots.understanding.config import NOTING, NotingConfig
from snapshots.understanding.drafting.clause_joining import NotePart, find_vital_class
from snapshots.understanding.drafting.note_drafts import NoteDraft, draft_note
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching

_WISHES = re.compile(r"\b(?:i|we)(?:'d| would) (?:rather|prefer|like)\b", re.IGNORECASE)
# Cues of what holds now; other cues say what is over.
_ANEW = frozenset({"instead", "again", "figure"})


def add_successor_notes(
    read: Sequence[ReadMessage], message_endings: Sequence[MessageEndings], config: NotingConfig = NOTING
) -> list[ReadMessage]:
    """Return the messages with a further note for each sentence about something that holds from now on, if the
    sentence made no note yet."""
    over = {
        (one.message.id, ending.start)
        for one in message_endings
        for ending in one.endings
        if ending.effect is not EndingEffect.RETELLS
    }
    return [replace(one, drafts=(*one.drafts, *_draft_successors(one, over, config))) for one in read]


def _draft_successors(one: ReadMessage, over: Collection[tuple[UUID, int]], config: NotingConfig) -> list[NoteDraft]:
    if one.spoken.answer:
        return []
    return [
        draft_note(one.heard, one.spoken, _build_part(one, changing), config)
        for changing in find_changing_sentences(one.spoken, one.grades)
        if not any(draft.overlaps(changing.start, changing.end) for draft in one.drafts)
        and _holds_from_now(one, changing, config, is_over=(one.heard.message.id, changing.start) in over)
    ]


def _holds_from_now(one: ReadMessage, changing: ChangingSentence, config: NotingConfig, *, is_over: bool) -> bool:
    form = fold_for_matching(changing.sentence.text)
    from_now, state = (load_state_patterns()[name].pattern for name in ("from_now", "state"))
    cues = find_cues(_WISHES.sub(" ", from_now.sub(" ", form)))  # "from today on" is for more than today
    lasting = _build_part(one, changing).grade.lasting
    if cues & NOT_SAID or lasting < config.successor_from:
        return False
    has_new = any(side.new for side in find_replacements(form, detect_rule_language(form)))
    says_so = from_now.search(form) or state.search(form) or (has_new and "now" in cues)
    return bool(says_so or (is_over and (has_new or find_cues(form) & _ANEW)))


def _build_part(one: ReadMessage, changing: ChangingSentence) -> NotePart:
    pairs = zip(one.spoken.clauses, one.grades, strict=False)
    own = [pair for pair in pairs if changing.start <= pair[0].start < changing.end]
    clause, grade = max(own, key=lambda pair: pair[1].lasting)
    vital = find_vital_class(clause, grade) if len(own) == 1 else ""
    return NotePart(changing.start, changing.end, clause.sentence, grade, vital, clause.language)
