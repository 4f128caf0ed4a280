"""The missing knowledge about a subject, and the question to ask first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memory_platform.kernel.text import detect_language, to_comparable
from profiles.models import Preference, Subject, Tag, TagKind
from profiles.selectors import current_preferences, current_profile, tags_of
from profiles.tag_label_words import HOMES, WORKPLACES

Priority = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class KnownProfile:
    """The knowledge about a subject: the profile as :func:`current_profile` gives it, tags and current preferences."""

    profile: Mapping[str, Any]
    tags: Sequence[Tag]
    preferences: Sequence[Preference]


@dataclass(frozen=True, slots=True)
class Need:
    """One thing worth knowing, the check whether it is known, and the question that asks for it."""

    key: str
    priority: Priority
    is_met: Callable[[KnownProfile], bool]
    question_en: str
    question_zh: str


@dataclass(frozen=True, slots=True)
class Completeness:
    """The missing needs, most important first. ``initialised`` if no need of high priority is missing."""

    initialised: bool
    missing: tuple[Need, ...]
    next_question: str | None


def measure_completeness(subject: Subject) -> Completeness:
    known = known_profile(subject)
    missing = list_missing(known)
    question = None
    if missing:
        question = missing[0].question_zh if speaks_chinese(known) else missing[0].question_en
    return Completeness(all(need.priority != "high" for need in missing), missing, question)


def known_profile(subject: Subject) -> KnownProfile:
    return KnownProfile(current_profile(subject), list(tags_of(subject)), list(current_preferences(subject)))


def list_missing(known: KnownProfile) -> tuple[Need, ...]:
    return tuple(need for need in NEEDS if not need.is_met(known))


def is_missing(subject: Subject, key: str) -> bool:
    return any(need.key == key for need in list_missing(known_profile(subject)))


def _has_place(words: frozenset[str]) -> Callable[[KnownProfile], bool]:
    def is_met(known: KnownProfile) -> bool:
        names = (name for tag in known.tags for name in (tag.label, *tag.aliases))
        return any(to_comparable(name) in words for name in names)

    return is_met


def _has_work(known: KnownProfile) -> bool:
    return bool(known.profile["attributes"].get("employer")) or _has_place(WORKPLACES)(known)


def _has_contact(known: KnownProfile) -> bool:
    return any(tag.kind == TagKind.CONTACT and tag.phone for tag in known.tags)


def _has_field(field: str) -> Callable[[KnownProfile], bool]:
    return lambda known: bool(known.profile[field])


def _has_taste(category: str) -> Callable[[KnownProfile], bool]:
    return lambda known: any(preference.category == category for preference in known.preferences)


def speaks_chinese(known: KnownProfile, *, last_text: str = "") -> bool:
    """Return whether to ask in Chinese: by locale, else the last message, else the known texts, the name first."""
    profile = known.profile
    locale = profile["locale"]
    if locale:
        return to_comparable(locale).startswith("zh")
    written = " ".join(str(profile[field]) for field in ("name", "occupation", "interests") if profile[field])
    learned = " ".join([*(tag.label for tag in known.tags), *(one.statement for one in known.preferences)])
    languages = (detect_language(text) for text in (last_text, written, learned))
    return next((language for language in languages if language in {"zh", "en"}), "en") == "zh"


# In the order in which they are asked.
NEEDS = (
    Need("name", "high", _has_field("name"), "What should I call you?", "我该怎么称呼您?"),
    Need("home", "high", _has_place(HOMES), "Where is home for you?", "您家在哪里?"),
    Need("work", "high", _has_work, "Where do you work?", "您在哪里上班?"),
    Need("emergency_contact", "high", _has_contact, "Whom may I call in an emergency?", "紧急情况下可以联系谁?"),
    Need("occupation", "medium", _has_field("occupation"), "What do you do for a living?", "您是做什么工作的?"),
    Need("interests", "low", _has_field("interests"), "What do you enjoy doing?", "您平时喜欢做什么?"),
    Need("food", "low", _has_taste("food"), "What do you like to eat?", "您喜欢吃什么?"),
    Need("music", "low", _has_taste("music"), "What music do you like?", "您喜欢听什么音乐?"),
)
