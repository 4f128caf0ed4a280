"""Of whom an English clause tells that "and" or "but" joins without a subject: of whom the clause before it does."""

import re
from typing import Protocol

_OTHERS = re.compile(
    r"(?:they|you|he|she|it|this|that|these|those|there|who|people|(?:my|our|his|her|their|your) [a-z]+)\b"
    r"|(?!(?:never|always|please|just|only|still|been|not|no)\b)(?:[a-z]+ ){1,3}"
    r"(?:is|are|was|were|don't|doesn't|has|can|will)\b|[a-z]+$",
    re.IGNORECASE,
)
"""At the head of a clause: it tells of others or of things, or is a bare noun ("hope and love win")."""
_ASKS = re.compile(r"(?:don't|never|always|avoid)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"(?:they|you|these|those|people)\b", re.IGNORECASE)


class Told(Protocol):
    """The clause before, as far as it counts here."""

    @property
    def text(self) -> str: ...

    @property
    def subject(self) -> str: ...


def subject_en(text: str, before: Told | None, goes_on: bool) -> str:
    """Return "other" where ``text`` goes on telling of what ``before`` tells of ("they run and love to play"), else
    "self"; ``goes_on`` is false where it has a subject of its own.

    Of one alone a bare "never" or "always" is no doing, but asks for something: "it's my work phone and never call it".
    """
    if goes_on and before and (before.subject == "other" or _OTHERS.match(before.text)):
        return "self" if _ASKS.match(text) and not _SEVERAL.match(before.text) else "other"
    return "self"
