"""Detect clauses that are vital by their words alone, and clauses that name an illness and are not: denied, over, a
joke, an order.

A vital note is in every prompt, so it must be true. A denial must govern the harmful thing: "I can't have dairy" and
不能吃虾 are limits, "I don't have asthma" is not.
"""

from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from memory_platform.kernel.text import remove_invisible
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.reading.web_addresses import has_link

_RE = load_patterns(Path(__file__).with_name("data") / "vital_words.toml")


def may_be_vital(form: str, sentence: str) -> bool:
    """Return whether a clause (matching form) may be vital: it holds now, in earnest, and leads no model."""
    if instructs_model(form):
        return False
    if (
        is_joke_allergy(form)
        or _RE["likened"].search(form)
        or (_RE["laughs"].search(sentence) and not _RE["bodily"].search(form))
    ):
        return False
    return _RE["denied"].search(form) is None and (
        _RE["over"].search(form) is None or _RE["still"].search(sentence) is not None
    )


def is_joke_allergy(form: str) -> bool:
    """Return whether a clause names an allergen to which nobody's body reacts: Mondays, 你的问题."""
    return _RE["jest"].search(form) is not None


def tells_only_reaction(form: str) -> bool:
    """Return whether a clause tells what a body does and not to what: "her lips swell up", 一吃就肿."""
    return _RE["reaction"].search(form) is not None and _RE["allergen"].search(form) is None


def drop_things_named_after_illnesses(form: str) -> str:
    """Return a clause without things that are named after an illness ("the allergy test"), unless somebody takes them:
    "I take allergy pills"."""
    return form if _RE["takes"].search(form) else _RE["object"].sub(" ", form)


def classify_vital_words(form: str) -> str:
    """Return the class of a clause that is vital by its words alone, whatever the classifier finds; "" for none."""
    if names_emergency_contact(form):
        return "emergency"
    is_harmed = _RE["may_not_eat"].search(form) or _RE["may_kill"].search(form)
    return "allergy" if is_harmed and not _RE["anybody"].search(form) else ""


def names_emergency_contact(form: str) -> bool:
    called = _RE["calls"].search(form)
    return called is not None and _RE["somebody"].search(form, called.start()) is not None


def names_somebody(text: str) -> bool:
    return _RE["somebody"].search(fold_for_matching(text)) is not None


def asks_for_person(question: str) -> bool:
    return _RE["asks_whom"].search(fold_for_matching(question)) is not None


def gives_order(form: str) -> bool:
    seen = remove_invisible(form)
    return (_RE["order_en"].match(seen) or _RE["order_zh"].match(seen)) is not None


def instructs_model(form: str, before: str = "") -> bool:
    """Return whether a clause orders the assistant to do something, or leads it to a page: it is never vital, whoever
    wrote it. An emergency contact, also in the clause ``before``, is allowed."""
    return has_link(form) or (gives_order(form) and not names_emergency_contact(f"{before} {form}"))


def sends_to_link(form: str) -> bool:
    return has_link(form) and (gives_order(form) or _RE["visits"].match(remove_invisible(form)) is not None)
