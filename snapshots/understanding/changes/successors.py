"""A sentence about something that holds from now on becomes a note, even with a low grade, when it replaces a note
or says so itself: 我又开始抽烟了. A sentence that only ends something, asks, supposes or speaks of one occasion does
not."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from snapshots.understanding.changes.following import MessageEndings, Read
from snapshots.understanding.changes.judge import Effect
from snapshots.understanding.changes.pairs import NOT_SAID
from snapshots.understanding.changes.sentences import Changing, changing_sentences
from snapshots.understanding.changes.ways import named_in
from snapshots.understanding.changes.words import cues_in, hold_rows
from snapshots.understanding.config import NOTING, NotingPolicy
from snapshots.understanding.drafting.assemble import NotePart, vital_class_of
from snapshots.understanding.drafting.draft import NoteDraft, draft_part
from snapshots.understanding.reading.forms import language_of, matching_form

_WISHES = re.compile(r"\b(?:i|we)(?:'d| would) (?:rather|prefer|like)\b", re.IGNORECASE)
# Cues of what holds now; other cues say what is over.
_ANEW = frozenset({"instead", "again", "figure"})


def keep_successors(read: Sequence[Read], found: Sequence[MessageEndings], policy: NotingPolicy = NOTING) -> list[Read]:
    """Return the messages with a further note for each sentence about something that holds from now on and that made
    none."""
    over = {
        (one.message.id, ending.start) for one in found for ending in one.endings if ending.effect is not Effect.RETELLS
    }
    return [replace(one, drafts=(*one.drafts, *_successors(one, over, policy))) for one in read]


def _successors(one: Read, over: Collection[tuple[UUID, int]], policy: NotingPolicy) -> list[NoteDraft]:
    if one.spoken.answer:
        return []
    return [
        draft_part(one.heard, one.spoken, _part_of(one, changing), policy)
        for changing in changing_sentences(one.spoken, one.grades)
        if not any(draft.overlaps(changing.start, changing.end) for draft in one.drafts)
        and _lasts(one, changing, policy, is_over=(one.heard.message.id, changing.start) in over)
    ]


def _lasts(one: Read, changing: Changing, policy: NotingPolicy, *, is_over: bool) -> bool:
    form = matching_form(changing.sentence.text)
    from_now, state = (hold_rows()[name].pattern for name in ("from_now", "state"))
    cues = cues_in(_WISHES.sub(" ", from_now.sub(" ", form)))  # "from today on" is for more than today
    lasting = _part_of(one, changing).grade.lasting
    if cues & NOT_SAID or lasting < policy.successor_from:
        return False
    has_new = any(side.new for side in named_in(form, language_of(form)))
    says_so = from_now.search(form) or state.search(form) or (has_new and "now" in cues)
    return bool(says_so or (is_over and (has_new or cues_in(form) & _ANEW)))


def _part_of(one: Read, changing: Changing) -> NotePart:
    pairs = zip(one.spoken.clauses, one.grades, strict=False)
    own = [pair for pair in pairs if changing.start <= pair[0].start < changing.end]
    clause, grade = max(own, key=lambda pair: pair[1].lasting)
    vital = vital_class_of(clause, grade) if len(own) == 1 else ""
    return NotePart(changing.start, changing.end, clause.sentence, grade, vital, clause.language)
