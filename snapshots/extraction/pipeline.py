"""Extraction by rules, on one page: observe -> refuse -> analyse -> gate. No model, no I/O, under 1 ms a message."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from snapshots.extraction import (
    frames_en,
    frames_en_bounds,
    frames_en_habits,
    frames_en_limits,
    frames_en_profile,
    frames_en_said,
    frames_en_self,
    frames_en_usual,
    frames_en_wishes,
    frames_zh,
    frames_zh_bounds,
    frames_zh_habits,
    frames_zh_limits,
    frames_zh_profile,
    frames_zh_said,
    frames_zh_self,
    frames_zh_usual,
    frames_zh_wishes,
    marks,
    rules_en_constraints,
    rules_en_habits,
    rules_en_household,
    rules_en_identity,
    rules_en_limits,
    rules_en_preferences,
    rules_en_tags,
    rules_zh_constraints,
    rules_zh_habits,
    rules_zh_identity,
    rules_zh_limits,
    rules_zh_preferences,
    rules_zh_tags,
)
from snapshots.extraction.corrections import clause_changes, framed_changes, sentence_changes
from snapshots.extraction.everyday_en import lasting
from snapshots.extraction.everyday_zh import is_the_speakers
from snapshots.extraction.gate import judge, speaks_for_subject
from snapshots.extraction.instructions import is_instruction, may_instruct
from snapshots.extraction.observe import Clause, observe, whole_sentence
from snapshots.extraction.policy import EXTRACTION, ExtractionPolicy
from snapshots.extraction.rules import apply
from snapshots.extraction.sensitive import is_sensitive, mask_sensitive
from snapshots.extraction.values import (
    Candidate,
    Evidence,
    Extraction,
    ExtractionContext,
    PreferenceCandidate,
    ProfileFact,
    Rejection,
    TagCandidate,
    Utterance,
)

EXTRACTOR_VERSION = "rules-7"
"""Part of the stable ids of what is extracted: a new version may say something else about the same message."""

_SAID_FULLY = ("change",)
"""Beside a change, or a limit ("no more highways"), nothing is put right once more."""
_SHUNNED = re.compile(r"avoid|dislikes")
_MUST = re.compile(
    r"\b(?:never|can't|cannot|cant|allerg\w*|doctor|always|strictly)\b|不能|不可以|过敏|過敏|医生|醫生|永远|永遠|绝对|絕對|千万|千萬|怀孕",
    re.IGNORECASE,
)
_ACROSS_CLAUSES = re.compile(
    r"emergency contact|\b(?:her|his|their) (?:number|phone|cell|mobile)|紧急联系人", re.IGNORECASE
)
_TABLES = {
    "en": (
        *rules_en_identity.TABLES,
        *rules_en_household.TABLES,
        *rules_en_preferences.TABLES,
        *rules_en_constraints.TABLES,
        *rules_en_tags.TABLES,
    ),
    "zh": (
        *rules_zh_identity.TABLES,
        *rules_zh_preferences.TABLES,
        *rules_zh_constraints.TABLES,
        *rules_zh_tags.TABLES,
    ),
}
_NETS = {
    "en": (
        frames_en_limits.limits,
        frames_en_wishes.needs,
        frames_en.tastes,
        rules_en_limits.limits,
        frames_en_said.said_of,
        frames_en_wishes.wishes,
        frames_en_bounds.bounds,
    ),
    "zh": (
        frames_zh_limits.limits,
        frames_zh.tastes,
        rules_zh_limits.limits,
        frames_zh_wishes.wishes,
        frames_zh_bounds.bounds,
        frames_zh_said.said_of,
    ),
}
_PROFILES = {
    "en": (frames_en_profile.profile, frames_en_self.self_told),
    "zh": (frames_zh_profile.profile, frames_zh_self.self_told),
}
_CONTACTS = {
    "en": (frames_en_profile.contacts,),
    "zh": (frames_zh_profile.contacts, frames_zh_self.kept),
}
_HABITS = {
    "en": (frames_en_habits.habits, rules_en_habits.habits, frames_en_usual.usual),
    "zh": (frames_zh_habits.habits, rules_zh_habits.habits, frames_zh_usual.usual),
}


def extract(utterance: Utterance, *, context: ExtractionContext, policy: ExtractionPolicy = EXTRACTION) -> Extraction:
    """Return what ``utterance`` teaches about the subject, gated; nothing for words that are not the subject's own.

    A page that teaches more than ``max_candidates`` things is a list to be read, not a person to be known: the rest is
    left to its statement.
    """
    if not speaks_for_subject(utterance, context.own_names):
        return Extraction()
    sentences = observe(utterance, policy=policy)
    allowed, refused = refuse(utterance, sentences)
    candidates = islice((candidate for clauses in allowed for candidate in learnable(clauses)), policy.max_candidates)
    verdicts = judge(candidates, cited={utterance.message_key: utterance}, own_names=context.own_names, policy=policy)
    return _sorted(_once(verdicts.accepted), (*refused[: policy.max_candidates], *verdicts.rejected))


def refuse(utterance: Utterance, sentences: list[list[Clause]]) -> tuple[list[list[Clause]], list[Rejection]]:
    """Split off sentences that instruct the model, and report sentences that hold sensitive data (evidence masked)."""
    if not (may_instruct(utterance.text) or is_sensitive(utterance.text)):
        return sentences, []
    allowed, refused = [], []
    for clauses in sentences:
        said = clauses[0].sentence
        if is_instruction(said):
            refused.append(Rejection("instruction", _sentence_evidence(clauses[0])))
            continue
        if is_sensitive(said):
            refused.append(Rejection("sensitive", _sentence_evidence(clauses[0])))
        allowed.append(clauses)
    return allowed, refused


def learnable(clauses: list[Clause]) -> Iterator[Candidate]:
    """Yield the candidates of one sentence that are the speaker's and last, by the words around them."""
    for candidate in analyse(clauses):
        if clauses[0].language != "zh" or is_the_speakers(candidate, clauses[0].utterance.text):
            yield candidate


def analyse(clauses: list[Clause]) -> Iterator[Candidate]:
    """Yield the candidates of one sentence: what it puts right, else what each clause says by each table of rules."""
    changes = lasting(sentence_changes(clauses), clauses)
    if changes:
        yield from changes
        return
    whole = whole_sentence(clauses)
    stated: list[Candidate] = []
    if _ACROSS_CLAUSES.search(whole.sentence):
        stated += apply(rules_zh_tags.WHOLE if whole.language == "zh" else rules_en_tags.WHOLE, whole)
    for clause in clauses:
        stated += lasting(clause_changes(clause), clauses) or _stated(clause)
    for contacts in _CONTACTS[whole.language]:
        stated += _not_yet(contacts(whole), stated)
    if not any(isinstance(one, PreferenceCandidate) and one.sort in _SAID_FULLY for one in stated):
        changes = lasting(framed_changes(clauses, stated), clauses)
        stated = [*changes, *(one for one in stated if not _gone(one, changes))]
    yield from stated or _shown(clauses)


def _stated(clause: Clause) -> list[Candidate]:
    """Return what the tables say of a clause; where none does, what the wider nets catch: limits, tastes, wishes."""
    if marks.IDLE.search(clause.text):
        return []
    found = lasting((one for table in _TABLES[clause.language] for one in apply(table, clause)), [clause])
    for net in _NETS[clause.language]:
        found = found or lasting(net(clause), [clause])
    for profile in _PROFILES[clause.language]:
        found += _not_yet(lasting(profile(clause), [clause]), found)
    return found


def _gone(one: Candidate, changes: Iterable[Candidate]) -> bool:
    """Return whether a change takes the place of what ``one`` only shuns: 不吃包子了,换成燕麦粥 forbids no 包子; what
    is only over is not disliked either ("I don't want country any more").

    What harms, and what is not to be at all, stays forbidden.
    """
    if not isinstance(one, PreferenceCandidate) or not _SHUNNED.match(one.key or "") or _MUST.search(one.statement):
        return False
    gone = [change.replaces for change in changes if not isinstance(change, TagCandidate) and change.replaces]
    if one.key == "dislikes":
        gone += [old for change in changes for old in values_of(change) if _removes(change)]
    return any(value in old or old in value for value in values_of(one) for old in gone)


def _removes(change: Candidate) -> bool:
    return isinstance(change, PreferenceCandidate) and change.mode == "remove"


def _not_yet(told: Iterable[Candidate], found: list[Candidate]) -> list[Candidate]:
    """Return those of ``told`` whose words nothing ``found`` holds or is part of."""
    known = [value for candidate in found for value in values_of(candidate)]
    return [one for one in told if not any(a in b or b in a for a in values_of(one) for b in known)]


def _shown(clauses: list[Clause]) -> Iterator[Candidate]:
    """Yield the tastes that a sentence shows by habits, where nothing is stated in it."""
    for clause in (one for one in clauses if not marks.IDLE.search(one.text)):
        for net in _HABITS[clause.language]:
            found = lasting(net(clause), [clause])
            if found:
                yield from found
                return


def values_of(candidate: Candidate) -> set[str]:
    """Return the words that a candidate would bring into memory."""
    match candidate:
        case ProfileFact():
            return {candidate.value}
        case PreferenceCandidate():
            return set(candidate.value) if isinstance(candidate.value, tuple) else {str(candidate.value)}
        case TagCandidate():
            return {value for value in (candidate.address, candidate.phone, *candidate.aliases) if value}


def _sentence_evidence(clause: Clause) -> Evidence:
    start = clause.sentence_start
    quote = clause.utterance.text[start : start + len(clause.sentence)].strip()
    return Evidence(clause.utterance.message_key, mask_sensitive(quote)[0], start)


def _once(candidates: tuple[Candidate, ...]) -> list[Candidate]:
    """Return the candidates without repeats: the same thing said twice in one message is learned once."""
    seen: dict[str, Candidate] = {}
    for candidate in candidates:
        seen.setdefault(_identity(candidate), candidate)
    return list(seen.values())


def _identity(candidate: Candidate) -> str:
    match candidate:
        case ProfileFact():
            return f"fact|{candidate.field}|{candidate.value if candidate.mode != 'overwrite' else ''}"
        case PreferenceCandidate():
            return (
                f"{candidate.sort}|{candidate.category}|{candidate.key}|{candidate.mode}|"
                f"{candidate.value}|{candidate.replaces}"
            )
        case TagCandidate():
            return f"tag|{candidate.kind}|{candidate.label}|{candidate.address}|{candidate.phone}|{candidate.aliases}"


def _sorted(accepted: list[Candidate], rejections: tuple[Rejection, ...]) -> Extraction:
    facts = [c for c in accepted if isinstance(c, ProfileFact)]
    preferences = [c for c in accepted if isinstance(c, PreferenceCandidate)]
    return Extraction(
        facts=tuple(c for c in facts if not c.replaces),
        preferences=tuple(c for c in preferences if c.sort != "change"),
        tags=tuple(c for c in accepted if isinstance(c, TagCandidate)),
        corrections=(*(c for c in preferences if c.sort == "change"), *(c for c in facts if c.replaces)),
        rejections=rejections,
    )
