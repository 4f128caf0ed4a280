"""Find candidates for human review: they may be true, but are not sure enough to be written.

The gate refuses candidates that must not be believed; doubt concerns the rest. A correction is never in doubt: its
speaker has just said it.
"""

from profiles.models import Preference, Subject, Tag
from profiles.models import ProfileFact as ProfileFactRow
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import current_preferences
from profiles.services.list_values import find_entry, list_entries
from profiles.services.preferences import OPPOSITE, build_preference_place
from profiles.services.profile import FactName, build_fact_place
from profiles.services.tags.tags import find_tag_by_label
from profiles.services.value_claims import have_same_value
from snapshots.understanding.believing.store_candidate import make_value_json
from snapshots.understanding.config import DOUBT
from snapshots.understanding.values import Candidate, FactCandidate, PreferenceCandidate, TagCandidate

# Another value with the same provenance is believed, and the new one is not confident enough to replace it.
CONTRADICTION = "contradiction"
# The confidence is too low to write anything.
UNSURE = "unsure"


def find_doubt(subject: Subject, candidate: Candidate) -> str:
    """Return why ``candidate`` should wait for a person; "" when it need not. Reads beliefs in the open scope."""
    if candidate.confidence < DOUBT.least_confidence:
        return UNSURE
    if candidate.confidence < DOUBT.plain_confidence and _contradicts(subject, candidate):
        return CONTRADICTION
    return ""


def _contradicts(subject: Subject, candidate: Candidate) -> bool:
    if isinstance(candidate, TagCandidate) or candidate.replaces or getattr(candidate, "sort", "") == "change":
        return False
    held = _find_current_belief(subject, candidate)
    if held is None:
        return _has_opposite(subject, candidate)
    is_rival = Provenance(held.provenance) is Provenance(candidate.provenance)
    return is_rival and not have_same_value(held.value, make_value_json(candidate.value))


def replaces_belief(subject: Subject, candidate: Candidate) -> bool:
    if isinstance(candidate, TagCandidate):
        tag = find_tag_by_label(subject, candidate.label)
        return tag is not None and any(
            said and said != was for said, was in ((candidate.address, tag.address), (candidate.phone, tag.phone))
        )
    held = _find_current_belief(subject, candidate)
    return (
        _has_opposite(subject, candidate)
        if held is None
        else not have_same_value(held.value, make_value_json(candidate.value))
    )


def _find_current_belief(
    subject: Subject, candidate: FactCandidate | PreferenceCandidate
) -> ProfileFactRow | Preference | None:
    match candidate:
        case FactCandidate(mode="overwrite"):
            return build_fact_place(subject, FactName(candidate.field, is_attribute=candidate.is_attribute)).current()
        case PreferenceCandidate(category=str(category), key=str(key), mode="set"):
            return build_preference_place(subject, category, key).current()
    return None


def _has_opposite(subject: Subject, candidate: FactCandidate | PreferenceCandidate) -> bool:
    if isinstance(candidate, FactCandidate) or candidate.mode != "add" or candidate.key not in OPPOSITE:
        return False
    said = candidate.value if isinstance(candidate.value, tuple) else (candidate.value,)
    rivals = current_preferences(subject).filter(key=OPPOSITE[candidate.key])
    return any(find_entry(one, list_entries(rival.value) or ()) for rival in rivals for one in said)


def list_rival_beliefs(subject: Subject, candidate: Candidate) -> list[Preference | ProfileFactRow | Tag]:
    """Return the beliefs in the place of ``candidate`` and its opposite, in the open scope."""
    rows: list[Preference | ProfileFactRow | Tag | None] = []
    match candidate:
        case TagCandidate():
            rows = [find_tag_by_label(subject, candidate.label)]
        case FactCandidate():
            rows = [build_fact_place(subject, FactName(candidate.field, is_attribute=candidate.is_attribute)).current()]
        case PreferenceCandidate(category=str(category), key=str(key)):
            keys = filter(None, (key, OPPOSITE.get(key)))
            rows = [build_preference_place(subject, category, one).current() for one in keys]
    return [row for row in rows if row is not None]
