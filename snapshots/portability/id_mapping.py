"""Ids of an import: the exported ones if the subject is the same, else ids made for this subject.

A made id depends on the subject and the exported id alone: importing the same lines twice meets the same rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memory_platform.kernel.ids import stable_id


@dataclass(frozen=True, slots=True)
class IdMapping:
    """Maps ids of an export of the subject ``origin`` to ids of the subject ``target``.

    ``known`` holds rows that the target has under other ids already: conversations of the same name.
    """

    origin: UUID
    target: UUID
    known: Mapping[str, str] = field(default_factory=dict)

    def map_id(self, exported: UUID) -> UUID:
        made = exported if self.origin == self.target else stable_id("import", self.target, exported)
        return UUID(self.known[str(made)]) if str(made) in self.known else made

    def map_text(self, exported: Any) -> Any:
        """Return the text for an exported id in JSON; a value that is no id stays as it is."""
        try:
            return str(self.map_id(UUID(exported)))
        except (ValueError, TypeError, AttributeError):
            return exported
