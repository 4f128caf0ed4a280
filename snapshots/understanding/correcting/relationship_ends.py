"""People and pets that have parted from the user or died: "Rahel and I broke up", 我离婚了, "Rex passed away".

The contact stays, with its past as the relation: "ex-girlfriend", 前妻, "late dog".
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from snapshots.understanding.reading import modality
from snapshots.understanding.reading.own_sentences import OwnSentence
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.values import TagCandidate

FILE = Path(__file__).with_name("parting.toml")
# Ways to name one's own pet by its kind.
_OWN_KIND = {
    "en": r"(?:\b(?:my|our|the)|'t have (?:a|any)) {kind}",
    "zh": r"(?:我们?|我?家里?|咱们?家?|不养)的?[那这]?[只条个]?{kind}",
}
PARTED, DIED, GONE = "parted", "died", "gone"


def find_parted_contacts(sentence: OwnSentence, known_tags: Sequence[TagCandidate]) -> list[TagCandidate]:
    """Return the people and pets in ``known_tags`` that a sentence says to have parted from the user or died, with
    their new relation; nothing that is supposed, reported, asked, denied or planned."""
    form = sentence.text
    if not known_tags or not _load_pattern("cue").search(form) or _is_not_stated(form):
        return []
    words = _load_file()["former"]
    former = tuple(mark for language in ("en", "zh") for mark in words[language].values())
    return [
        _build_former_contact(one, end, sentence)
        for end, among in (
            (PARTED, [one for one in known_tags if one.relation in load_partner_words()]),
            (DIED, list(known_tags)),
        )
        if (one := _find_named(end, form, sentence.language, among)) is not None
        and not (one.relation or "").startswith(former)
    ]


def is_pet_gone(pet: str, form: str, language: str) -> bool:
    """Return whether a sentence in matching form says that a pet ("dog Biscuit", 狗豆豆) has died, been lost or given
    away."""
    if _is_not_stated(form):
        return False
    known = fold_for_matching(pet)
    kind, _, name = known.partition(" ") if " " in known else (known[:1], "", known[1:])
    own = _OWN_KIND[language].format(kind=re.escape(kind))
    called = [name] if name else []
    called += [kind] if re.search(own, form, re.IGNORECASE) else []
    return any(
        _matches_ending_phrase(way, who, form, language)
        for who in called
        for way in _load_file()[GONE][language]["ways"]
    )


def is_same_contact(one: TagCandidate, other: TagCandidate) -> bool:
    return not _list_name_forms(one).isdisjoint(_list_name_forms(other))


def _is_not_stated(form: str) -> bool:
    asked = form.rstrip().endswith(("?", "吗"))
    return (
        asked
        or _load_pattern("denied").search(form) is not None
        or modality.is_hypothetical(form, form)
        or modality.is_reported(form, len(form))
    )


def _find_named(end: str, form: str, language: str, among: Sequence[TagCandidate]) -> TagCandidate | None:
    for way in _load_file()[end][language]["ways"]:
        if "{who}" in way:
            named = [
                one
                for one in among
                if any(_matches_ending_phrase(way, name, form, language) for name in _list_name_forms(one))
            ]
        else:
            named = list(among) if _matches_ending_phrase(way, "", form, language) else []
        if len(named) == 1:
            return named[0]
    return None


def _matches_ending_phrase(way: str, name: str, form: str, language: str) -> bool:
    who = f"(?:(?:my|our) )?{re.escape(name)}" if language == "en" else f"(?:我们?的?|咱家?)?{re.escape(name)}"
    head = r"(?<![\w-])" if language == "en" else ""
    tail = r"(?![\w-])" if language == "en" else ""
    return re.search(f"{head}(?:{way.replace('{who}', who)}){tail}", form, re.IGNORECASE) is not None


def _list_name_forms(one: TagCandidate) -> frozenset[str]:
    told = (one.label, one.relation or "", *one.aliases)
    return frozenset(fold_for_matching(name).lower() for name in told if name)


def _build_former_contact(one: TagCandidate, end: str, sentence: OwnSentence) -> TagCandidate:
    relation = one.relation or ("" if one.kind == "thing" else one.label)
    words = _load_file()["former"]
    language = "zh" if re.search(r"[\u4e00-\u9fff]", relation or sentence.text) else "en"
    own = words["words"].get(relation) if end == PARTED else None
    return TagCandidate(
        one.label, one.kind, sentence.build_evidence(), relation=own or f"{words[language][end]}{relation}"
    )


@cache
def load_partner_words() -> frozenset[str]:
    return frozenset(_load_file()["former"]["partners"].split())


@cache
def _load_pattern(name: str) -> re.Pattern[str]:
    return re.compile("".join(_load_file()[name].splitlines()), re.IGNORECASE)


@cache
def _load_file() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
