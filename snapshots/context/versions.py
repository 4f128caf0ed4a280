"""What makes a context as it is, beside the policy: this release, and the readers that judge memories."""

from collections.abc import Mapping
from functools import cache

from memory_platform.kernel.release import RELEASE
from snapshots.relevance.notes import note_reader
from snapshots.understanding.grading.reader import clause_reader


@cache
def made_by() -> Mapping[str, str]:
    """Return the release and the versions of the reader of clauses and of that of relevance, by name, as receipts keep
    them."""
    return {"release": RELEASE, "clauses": clause_reader().version, "relevance": str(note_reader().taught["version"])}
