"""Values about a contact or thing beside its tag: preferences under its name, ``people/daughter_allergies``."""

import re

from profiles.models import Preference, Subject, Tag, TagKind
from profiles.prompt_lines import OTHERS_CATEGORIES, split_owner
from profiles.selectors import current_preferences, tags_of
from profiles.services.preferences import retract_preference
from profiles.services.subject_lock import lock_subject
from tenants.services.audit import Actor

_NOT_A_KEY = re.compile(r"[^\w]+")


def end_values_of_contact(subject: Subject, tag: Tag, *, by: Actor | None = None, reason: str = "") -> list[Preference]:
    """End the values about the person of a tag, unless another tag names the same person; return them. Their history
    stays. ``by`` (a staff member) leaves an audit record of each."""
    if tag.kind == TagKind.PLACE:
        return []
    lock_subject(subject)
    others = {name for other in tags_of(subject).exclude(id=tag.id) for name in _list_owner_keys(other)}
    own = _list_owner_keys(tag) - others
    told = current_preferences(subject).filter(category__in=OTHERS_CATEGORIES)
    ended = [row for row in told if split_owner(row.category, row.key)[0] in own]
    for row in ended:
        retract_preference(subject, row.category, row.key, by=by, reason=reason)
    return ended


def _list_owner_keys(tag: Tag) -> set[str]:
    names = (tag.label, tag.relation, *tag.aliases)
    return {key for name in names if (key := _NOT_A_KEY.sub("_", name.lower()).strip("_"))}
