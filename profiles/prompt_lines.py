"""One line for each tag or preference, as models read it: names, not keys."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from memory_platform.kernel.text import HAN, to_comparable
from profiles.models import TagKind
from profiles.provenance_and_verdict import describe_value
from profiles.tag_label_words import list_synonyms

# How many names beside the label a line shows.
MOST_NAMES = 3
# Preferences about other people and pets: their keys begin with the owner, as in ``wife_employer``.
OTHERS_CATEGORIES = frozenset({"people", "pets"})
# Keys that several categories share, so that a line names the category, too.
SHARED_KEYS = frozenset({"likes", "dislikes", "avoid"})
_HAN = re.compile(f"[{HAN}]")
_FILE = Path(__file__).with_name("memory_lines.toml")
_LABELS: dict[str, dict[str, str]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
_CHINESE_LABELS, _CHINESE_CATEGORIES = _LABELS["keys"], _LABELS["categories"]


class TagParts(NamedTuple):
    """The parts of a tag that its line shows; None for a part that the tag lacks."""

    label: str
    kind: str
    address: str | None = None
    phone: str | None = None
    relation: str | None = None
    aliases: Sequence[str] = ()


def render_tag(place: TagParts) -> str:
    """Return a tag as a line: "wife Sarah: 510-555-0133", "ex-spouse: Tom", "家: 世纪大道100号".

    A relation that contains the label ("ex-spouse", 前女友) takes the label's place.
    """
    relation = place.relation or ""
    is_role = bool(relation) and place.label.casefold() in relation.casefold()
    title = relation if is_role else place.label
    names = list(_list_alias_names(place)) if place.kind != TagKind.PLACE else []
    told = ", ".join(filter(None, ("" if is_role else relation, place.address, place.phone)))
    if not names:
        return f"{title}: {told}" if told else title
    called = ", ".join(names)
    if not told:
        return f"{title}: {called}"
    between = "" if _HAN.match(title[-1:]) and _HAN.match(called) else " "
    return f"{title}{between}{called}: {told}" if is_role else f"{title} ({called}): {told}"


def render_preference(category: str, key: str, value: object) -> str:
    """Return a preference as a line: "wife's employer: Google", "likes (music): jazz", "avoid highway: yes". The line
    is Chinese when the owner or the value is."""
    told = describe_value(value)
    owner, field = split_owner(category, key)
    is_chinese = _HAN.search(owner or told) is not None
    name = _CHINESE_LABELS.get(field, field) if is_chinese else field
    if owner:
        whose = owner.replace("_", " ")
        name = f"{whose}的{name}" if is_chinese else f"{whose}'s {name}"
    elif key in SHARED_KEYS and category != "general":
        within = _CHINESE_CATEGORIES.get(category, category) if is_chinese else category
        name = f"{name} ({within})"
    return f"{name.replace('_', ' ')}: {told}"


def split_owner(category: str, key: str) -> tuple[str, str]:
    """Return the owner and the field of a preference key: ``wife`` and ``employer``; the owner "" is the user."""
    if category not in OTHERS_CATEGORIES:
        return "", key
    known = next((one for one in _CHINESE_LABELS if key.endswith(f"_{one}")), "")
    owner, _, field = (key.removesuffix(f"_{known}"), "", known) if known else key.rpartition("_")
    return owner, field


def translate_label(label: str) -> str:
    """Return the label of a slot in Chinese as far as it is known: "likes (music)" is 喜欢 (音乐)."""
    name, _, within = label.removesuffix(")").partition(" (")
    told = _CHINESE_LABELS.get(name.replace(" ", "_"), _CHINESE_CATEGORIES.get(name, name))
    return f"{told} ({_CHINESE_CATEGORIES.get(within, within)})" if within else told


def _list_alias_names(place: TagParts) -> Iterable[str]:
    known = {to_comparable(place.label), to_comparable(place.relation or ""), *list_synonyms(place.label)}
    known |= list_synonyms(place.relation or "")
    return islice((one for one in place.aliases if to_comparable(one) not in known), MOST_NAMES)
