"""What is believed of a subject: its profile, preferences and tags; and which question to ask it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_platform_client.answers.profiles import (
    Completeness,
    Fact,
    ListedTag,
    Lookup,
    NextAsk,
    OneTag,
    PatchedProfile,
    Preference,
    SettledAsk,
    StandingProfile,
    Tag,
    TagDetail,
    WrittenPreference,
    WrittenTag,
)
from memory_platform_client.answers.shared import Erased
from memory_platform_client.answers.vocabularies import ClaimedProvenance, Intent, Phase, RemovableTagField, TagKind
from memory_platform_client.call_declarations import Scope, Way, call, listing
from memory_platform_client.decoding import Page
from memory_platform_client.encoding import When

PROFILE = "/v1/subjects/{subject_id}/profile"
PREFERENCES = "/v1/subjects/{subject_id}/preferences"
PREFERENCE = f"{PREFERENCES}/{{category}}/{{key}}"
TAGS = "/v1/subjects/{subject_id}/tags"
TAG = f"{TAGS}/{{tag_id}}"
ASKS = "/v1/subjects/{subject_id}/asks"


class Profile(Scope[Way]):
    """The profile of a subject."""

    @call("GET", PROFILE)
    def get(self) -> StandingProfile:
        """Get the profile, and how well each field is known."""

    @call("PATCH", PROFILE)
    def update(
        self,
        *,
        name: str | None = None,
        occupation: str | None = None,
        interests: Sequence[str] | None = None,
        mbti: str | None = None,
        age_range: str | None = None,
        locale: str | None = None,
        timezone: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        remove: Sequence[str] | None = None,
        modes: Mapping[str, Any] | None = None,
        if_match: str | None = None,
    ) -> PatchedProfile:
        """Change the given fields; ``remove`` names those to take away."""

    @call("GET", f"{PROFILE}/completeness")
    def completeness(self) -> Completeness:
        """Get what is missing and the question to ask first."""

    @listing(f"{PROFILE}/history")
    def history(self, *, limit: int | None = None) -> Page[Fact]:
        """List all values that fields have had, in the order in which they became true."""

    @call("POST", f"{PROFILE}/forget")
    def forget(self, field: str) -> Erased:
        """Erase a field or attribute with its history."""


class Preferences(Scope[Way]):
    """The preferences of a subject, each under a category and a key."""

    @listing(PREFERENCES)
    def list(
        self,
        *,
        category: str | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        include_history: bool | None = None,
        limit: int | None = None,
    ) -> Page[Preference]:
        """List the current preferences, or those of a past time."""

    @call("GET", PREFERENCE)
    def get(self, category: str, key: str) -> Preference:
        """Get the current value of a preference."""

    @call("PUT", PREFERENCE)
    def set(
        self,
        category: str,
        key: str,
        value: Any,
        *,
        statement: str | None = None,
        provenance: ClaimedProvenance | None = None,
        confidence: float | None = None,
        valid_at: When | None = None,
        sources: Sequence[Any] | None = None,
        if_match: str | None = None,
    ) -> WrittenPreference:
        """Set a preference; the answer is its current value with a verdict."""

    @call("DELETE", PREFERENCE)
    def retract(self, category: str, key: str, *, if_match: str | None = None) -> None:
        """Retract a preference; its history stays."""

    @call("POST", f"{PREFERENCE}/forget")
    def forget(self, category: str, key: str) -> Erased:
        """Erase a preference with its history."""

    @listing(f"{PREFERENCE}/history")
    def history(self, category: str, key: str, *, limit: int | None = None) -> Page[Preference]:
        """List all values that a preference has had, in the order in which they became true."""


class Tags(Scope[Way]):
    """The labelled places, contacts and things of a subject."""

    @listing(TAGS)
    def list(
        self,
        *,
        as_of: When | None = None,
        known_at: When | None = None,
        include_history: bool | None = None,
        limit: int | None = None,
    ) -> Page[ListedTag]:
        """List the tags, oldest first, as they are now or were at a past time."""

    @call("POST", TAGS)
    def add(
        self,
        label: str,
        *,
        kind: TagKind | None = None,
        address: str | None = None,
        poi_id: str | None = None,
        lat: float | None = None,
        lon: float | None = None,
        phone: str | None = None,
        relation: str | None = None,
        aliases: Sequence[str] | None = None,
        valid_at: When | None = None,
    ) -> WrittenTag:
        """Create a tag, or update the tag with this label."""

    @call("GET", TAG)
    def get(self, tag_id: str) -> OneTag:
        """Get a tag with the newest notes about it."""

    @call("PATCH", TAG)
    def update(
        self,
        tag_id: str,
        *,
        label: str | None = None,
        kind: TagKind | None = None,
        address: str | None = None,
        poi_id: str | None = None,
        lat: float | None = None,
        lon: float | None = None,
        phone: str | None = None,
        relation: str | None = None,
        aliases: Sequence[str] | None = None,
        valid_at: When | None = None,
        remove: Sequence[RemovableTagField] | None = None,
        if_match: str | None = None,
    ) -> Tag:
        """Change the given details of a tag."""

    @call("DELETE", TAG)
    def delete(self, tag_id: str, *, if_match: str | None = None) -> None:
        """Delete a tag with its history."""

    @call("POST", f"{TAG}/forget")
    def forget(self, tag_id: str) -> Erased:
        """Erase a tag, and its words in proposals and stored prompts."""

    @listing(f"{TAG}/history")
    def history(self, tag_id: str, *, limit: int | None = None) -> Page[TagDetail]:
        """List all values that the details of a tag have had."""

    @call("POST", f"{TAG}/use")
    def use(self, tag_id: str) -> Tag:
        """Count one use of a tag."""

    @call("GET", f"{TAGS}/lookup")
    def lookup(self, q: str, *, limit: int | None = None) -> Lookup:
        """Find the tags that a text names by label, alias or spelling."""


class Asks(Scope[Way]):
    """Questions about what is missing."""

    @call("POST", f"{ASKS}/next")
    def next(self, conversation: str, *, intent: Intent | None = None, phase: Phase | None = None) -> NextAsk:
        """Get the question to ask next, and count it as asked."""

    @call("POST", f"{ASKS}/{{ask_id}}/answer")
    def answer(self, ask_id: str, accepted: bool, *, value: Any = None) -> SettledAsk:
        """Record the user's answer to a question."""
