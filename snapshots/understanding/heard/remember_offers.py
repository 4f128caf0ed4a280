"""Offers of the assistant to remember something, and consent to them: "Shall I remember that you like window seats?"
"Yes please". Pure."""

from pathlib import Path

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.pattern_files import load_patterns
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.grading.clause_features import find_question
from snapshots.understanding.heard.bare_answers import says_yes
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.reading.clauses import Clause, split_clauses
from snapshots.understanding.reading.modality import is_question
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import fold_for_matching

_RE = load_patterns(Path(__file__).with_name("data") / "remember_offers.toml")
_LOOSE = " ,.?!。"


def parse_offer(previous: str) -> str | None:
    """Return the words that an assistant's turn offers to remember, "" where it does not say them; None where it offers
    nothing."""
    asked = fold_for_matching(find_question(previous)).strip()
    if "?" not in asked:
        return None
    found = _RE["offer_en"].fullmatch(asked)
    if found is None and _RE["offers_zh"].search(asked):
        found = _RE["offer_zh"].fullmatch(asked)
    if found is None:
        return None
    parts = found.groupdict()
    said = (parts["said"] or parts.get("yours") or "").strip(_LOOSE)
    if _RE["company"].match(said):
        return None
    return "" if _RE["idle"].fullmatch(said) else said


def is_consent(text: str, previous: str) -> bool:
    return says_yes(text) and parse_offer(previous) is not None


def find_clause_after_yes(text: str, previous: str) -> Clause | None:
    """Return the clause after a yes to an offer: "Sure, go ahead. I like the aisle"."""
    form = fold_for_matching(text)
    head = _RE["head"].match(form)
    while head and says_yes(form[: head.end()]) and (further := _RE["head"].match(form, head.end())):
        if not says_yes(form[: further.end()]):
            break
        head = further
    if head is None or not says_yes(form[: head.end()]) or parse_offer(previous) is None:
        return None
    telling = (
        one for one in split_clauses(text) if one.start >= head.end() and tells_something(form[one.start : one.end])
    )
    return next(telling, None)


def find_offered_clause(text: str, offer: str) -> Clause | None:
    """Return the clause of a user's earlier words that an offer means: the most similar, else the last that says
    something."""
    form = fold_for_matching(text)
    telling = [
        one
        for one in split_clauses(text)
        if tells_something(form[one.start : one.end])
        and not is_question(form[one.start : one.end], ends_asked=one.in_question, language=one.language)
    ]
    wanted = set(split_terms(offer))
    near = [one for one in telling if wanted & set(split_terms(one.text))]
    if wanted and not near:
        return None
    return (
        max(near, key=lambda one: len(wanted & set(split_terms(one.text))))
        if near
        else (telling[-1] if telling else None)
    )


def may_remember_offer(offer: str) -> bool:
    """Return whether the words of an offer may become a note: no address, number, payment or order."""
    if not offer or _RE["never"].search(_RE["road"].sub(" ", offer)):
        return False
    return not is_instruction(offer) and not mask_sensitive(offer)[1]
