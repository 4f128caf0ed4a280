"""Merge the candidates of one message: without vaguer ones, contradictions and repeats."""

from collections.abc import Mapping
from dataclasses import replace

from snapshots.understanding.values import Candidate, FactCandidate, PreferenceCandidate, TagCandidate


def _drop_vaguer(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates without the likes of clauses that gave a preference of their own ("I prefer short answers")."""
    named = {one.evidence for one in candidates if isinstance(one, PreferenceCandidate) and one.key != "likes"}
    facts = {one.value for one in candidates if isinstance(one, FactCandidate)}
    pets = [one.value for one in candidates if isinstance(one, FactCandidate) and one.field == "pets"]
    candidates = [
        one
        for one in candidates
        if not (isinstance(one, FactCandidate) and any(one.value != pet and one.value in pet for pet in pets))
    ]
    return [
        one
        for one in candidates
        if not (isinstance(one, PreferenceCandidate) and one.key == "likes")
        or not (one.evidence in named or (isinstance(one.value, tuple) and facts & set(one.value)))
    ]


def _drop_contradictions(candidates: list[Candidate]) -> list[Candidate]:
    values: dict[str, set[str]] = {}
    for one in candidates:
        if isinstance(one, FactCandidate) and one.mode == "overwrite":
            values.setdefault(one.field, set()).add(one.value)
    return [
        one
        for one in candidates
        if not isinstance(one, FactCandidate) or one.mode != "overwrite" or len(values[one.field]) == 1
    ]


def _find_same_person(one: TagCandidate, candidates_by_key: Mapping[str, Candidate]) -> str | None:
    names = {one.label, *one.aliases}
    held = (other for other in candidates_by_key.values() if isinstance(other, TagCandidate) and other.kind == one.kind)
    return next((other.label.lower() for other in held if names & {other.label, *other.aliases}), None)


def merge_candidates(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates without vaguer ones, contradictions and repeats; details of one contact or place are joined."""
    kept: dict[str, Candidate] = {}
    for one in _drop_contradictions(_drop_vaguer(candidates)):
        match one:
            case FactCandidate():
                key = f"{one.field}|{one.value if one.mode == 'append' else ''}"
            case PreferenceCandidate():
                key = f"{one.category}|{one.key}|{one.value if one.mode == 'add' else ''}"
            case TagCandidate():
                key = f"tag|{one.kind}|{_find_same_person(one, kept) or one.label.lower()}"
        first = kept.get(key)
        if isinstance(first, TagCandidate) and isinstance(one, TagCandidate):
            kept[key] = replace(
                first,
                address=first.address or one.address,
                phone=first.phone or one.phone,
                relation=first.relation or one.relation,
                aliases=tuple(dict.fromkeys((*first.aliases, *one.aliases))),
            )
        elif first is None:
            kept[key] = one
    return list(kept.values())
