"""The values that one preference or fact had, and which of them only messages that go support."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from profiles.models.belief import Belief
from profiles.services.list_values import find_entry, list_entries
from profiles.services.value_claims import have_same_value
from snapshots.erasure.forgotten_word_copies import ForgottenWords


@dataclass(frozen=True, slots=True)
class ValueHistory:
    """All values of one preference or fact in the order in which they began, as believed now.

    ``sources`` holds per value the messages behind it with the time each was said, ``removed`` the messages that go,
    ``read`` the messages with a candidate, ``elsewhere`` the entries that candidates of other messages propose.
    """

    rows: Sequence[Belief]
    sources: Mapping[UUID, Mapping[UUID, datetime]]
    removed: Collection[UUID]
    read: Collection[UUID] = ()
    elsewhere: Sequence[Any] = ()

    def find_unsupported_values(self, words: ForgottenWords) -> list[Belief]:
        """Return the values that go: only removed messages said them, or one did and they are exactly ``words``."""
        unsupported = [row for row in self.rows if self._is_sole_support(row) or self._repeats_words(row, words)]
        lost = self.find_lost_entries(unsupported)
        return [row for row in self.rows if row in unsupported or self.drop_lost_entries(row, lost) == []]

    def find_lost_entries(self, lost_beliefs: Collection[Belief]) -> list[Any]:
        """Return the list entries that came with a value that goes, and that nothing else says."""
        lost: list[Any] = []
        supported, before = list(self.elsewhere), list[Any]()
        for row in self.rows:
            entries = list_entries(row.value) or []
            new = [entry for entry in entries if not find_entry(entry, before)]
            if row in lost_beliefs:
                lost += new
            else:
                supported += entries if self._is_stated(row) else new
            before = entries
        return [entry for entry in lost if not find_entry(entry, supported)]

    def drop_lost_entries(self, row: Belief, lost: Sequence[Any]) -> Any:
        """Return a value without the lost entries; a value that is no list as it is."""
        if not isinstance(row.value, list):
            return row.value
        return [entry for entry in row.value if not find_entry(entry, lost)]

    def find_revived_values(self, lost_beliefs: Collection[Belief]) -> dict[UUID, tuple[datetime | None, UUID | None]]:
        """Return the values that become current again, each with its end and its successor.

        A value that ended without a successor becomes current if a removed message ended it by saying its opposite;
        else it stays ended, because it may have been withdrawn elsewhere.
        """
        ends = {row.id: row for row in lost_beliefs}
        heirs: dict[tuple[datetime | None, UUID | None], UUID] = {}
        for row in self.rows:
            successor = ends.get(row.superseded_by_id) if row.superseded_by_id and row.id not in ends else None
            while successor is not None and successor.superseded_by_id in ends:
                successor = ends[successor.superseded_by_id]
            if successor is not None:
                heirs[successor.invalid_at, successor.superseded_by_id] = row.id
        emptied = {
            row.id: self._find_next_value(row, ends)
            for row in self.rows
            if row.id not in ends and self._was_emptied(row)
        }
        return emptied | {heir: end for end, heir in heirs.items()}

    def find_remaining_times(self, row: Belief) -> list[datetime]:
        """Return the times at which a value was said, without the removed messages: as often as others said it."""
        behind = self._find_sources(row)
        said = row.said_times or [row.valid_at]
        kept_times = {at for message, at in behind.items() if message not in self.removed}
        dropped = {at for message, at in behind.items() if message in self.removed} - kept_times
        others = max(0, len(said) - len(behind)) + sum(message not in self.removed for message in behind)
        kept = [at for at in said if at not in dropped]
        return kept[max(0, len(kept) - others) :]

    def _was_emptied(self, row: Belief) -> bool:
        """Return whether one of the removed messages took the last entry out of a value when it was said."""
        if row.invalid_at is None or row.superseded_by_id is not None:
            return False
        behind = self.sources.get(row.id, {})
        return any(at == row.invalid_at for message, at in behind.items() if message in self.removed)

    def _find_next_value(self, row: Belief, ends: Collection[UUID]) -> tuple[datetime | None, UUID | None]:
        after = [one for one in self.rows if one.valid_at > row.valid_at and one.id not in ends]
        return (after[0].valid_at, after[0].id) if after else (None, None)

    def _is_sole_support(self, row: Belief) -> bool:
        behind = self._find_sources(row)
        if not behind or not set(behind) <= set(self.removed):
            return False
        return len(row.said_times or [row.valid_at]) <= len(behind)  # said more often: by the product itself

    def _repeats_words(self, row: Belief, words: ForgottenWords) -> bool:
        return not set(self._find_sources(row)).isdisjoint(self.removed) and words.contain_whole(str(row.value))

    def _is_stated(self, row: Belief) -> bool:
        """Return whether the product stated a value as a whole: without a source, or with one that nobody read."""
        left = set(self._find_sources(row)) - set(self.removed)
        return not self._find_sources(row) or bool(left - set(self.read))

    def _find_sources(self, row: Belief) -> Mapping[UUID, datetime]:
        """Return the messages behind a value; the earlier part of a value that was cut in two has those of the
        later."""
        own = self.sources.get(row.id)
        if own:
            return own
        twins = [self.sources.get(other.id, {}) for other in self.rows if have_same_value(other.value, row.value)]
        said = {message: at for behind in twins for message, at in behind.items() if at in row.said_times}
        return said if set(row.said_times) == set(said.values()) else {}
