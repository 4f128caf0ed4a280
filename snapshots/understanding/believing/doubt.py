"""What a person should look at before it is believed (E2): true perhaps, but not sure enough to be written by itself.

Refused is what may not be believed; in doubt is what may. A correction is never in doubt: its speaker has just said
what is right.
"""

from profiles.models import Preference, Subject, Tag
from profiles.models import ProfileFact as ProfileFactRow
from profiles.selectors import current_preferences
from profiles.services.claims import same_value
from profiles.services.lists import among_entries, entries_of
from profiles.services.preferences import OPPOSITE, preference_place
from profiles.services.profile import FactName, fact_place
from profiles.services.tags.tags import find_tag_by_label
from profiles.values import Provenance
from snapshots.understanding.believing.applying import as_json
from snapshots.understanding.believing.policy import DOUBT, DoubtPolicy
from snapshots.understanding.values import Candidate, PreferenceCandidate, ProfileFact, TagCandidate

CONTRADICTION = "contradiction"
"""Something else is believed, known in the same way, and this is not said clearly enough to take its place."""
UNSURE = "unsure"
"""Too little confidence to be written at all."""


def doubt_about(subject: Subject, found: Candidate, policy: DoubtPolicy = DOUBT) -> str:
    """Return why ``found`` should wait for a person, "" when it need not; reads what is believed, in the open scope."""
    if found.confidence < policy.least_confidence:
        return UNSURE
    if found.confidence < policy.plain_confidence and _contradicts(subject, found):
        return CONTRADICTION
    return ""


def _contradicts(subject: Subject, found: Candidate) -> bool:
    match found:
        case TagCandidate():
            return False
        case ProfileFact():
            return found.mode == "overwrite" and not found.replaces and _another_fact(subject, found)
        case PreferenceCandidate():
            return found.sort != "change" and _another_preference(subject, found)


def _another_fact(subject: Subject, found: ProfileFact) -> bool:
    held = fact_place(subject, FactName(found.field, is_attribute=found.is_attribute)).current()
    return held is not None and _is_equal_rival(held.provenance, held.value, found.provenance, found.value)


def _another_preference(subject: Subject, found: PreferenceCandidate) -> bool:
    if found.category is None or found.key is None:
        return False
    if found.mode == "set":
        held = preference_place(subject, found.category, found.key).current()
        return held is not None and _is_equal_rival(held.provenance, held.value, found.provenance, as_json(found.value))
    opposite = OPPOSITE.get(found.key)
    rival = preference_place(subject, found.category, opposite).current() if opposite and found.mode == "add" else None
    if rival is None or not isinstance(rival.value, list):
        return False
    said = found.value if isinstance(found.value, tuple) else (found.value,)
    return any(among_entries(str(one), rival.value) for one in said)


def _is_equal_rival(held_by: str, held: object, known_by: str, said: object) -> bool:
    return Provenance(held_by) is Provenance(known_by) and not same_value(held, said)


def takes_over(subject: Subject, found: Candidate) -> bool:
    """Return whether ``found`` says something else than what is believed in its place; in the open scope."""
    match found:
        case TagCandidate():
            held = find_tag_by_label(subject, found.label)
            return held is not None and any(
                said and said != was for said, was in ((found.address, held.address), (found.phone, held.phone))
            )
        case ProfileFact():
            fact = fact_place(subject, FactName(found.field, is_attribute=found.is_attribute)).current()
            return found.mode == "overwrite" and fact is not None and not same_value(fact.value, found.value)
        case PreferenceCandidate(category=str(category), key=str(key), mode="set"):
            preference = preference_place(subject, category, key).current()
            return preference is not None and not same_value(preference.value, as_json(found.value))
        case PreferenceCandidate(key=str(key), mode="add") if key in OPPOSITE:
            rivals = current_preferences(subject).filter(key=OPPOSITE[key])
            said = found.value if isinstance(found.value, tuple) else (found.value,)
            return any(among_entries(one, entries_of(rival.value) or ()) for rival in rivals for one in said)
        case _:
            return False


def believed_against(subject: Subject, found: Candidate) -> list[Preference | ProfileFactRow | Tag]:
    """Return what is believed now where ``found`` would stand, and what it is the opposite of; in the open scope."""
    rows: list[Preference | ProfileFactRow | Tag | None] = []
    match found:
        case TagCandidate():
            rows = [find_tag_by_label(subject, found.label)]
        case ProfileFact():
            rows = [fact_place(subject, FactName(found.field, is_attribute=found.is_attribute)).current()]
        case PreferenceCandidate(category=str(category), key=str(key)):
            keys = filter(None, (key, OPPOSITE.get(key)))
            rows = [preference_place(subject, category, one).current() for one in keys]
    return [row for row in rows if row is not None]
