"""Setting the columns of a tag by hand."""

from typing import Any

from profiles.models import Tag
from snapshots.lifecycle.staff_actions.actions import Doing, correct_tag
from snapshots.lifecycle.staff_actions.origins import origins_of, retire_origins
from snapshots.notes.slots import names


def correct_columns(tag: Tag, form: Any, doing: Doing) -> Tag:
    """Set the columns. Of the chosen memories, retire those that mention a replaced value."""
    replaced = [getattr(tag, name) for name, value in form.columns().items() if getattr(tag, name) != value]
    wrong = [str(value) for value in replaced if value]
    naming = {one.id for one in origins_of(tag) if any(names(one.text, value) for value in wrong)}
    made = correct_tag(tag, form.columns(), doing)
    seen = {one: version for one, version in form.origins().items() if one in naming}
    retire_origins(tag, seen, doing, holds=made)
    return made


def bring_back(memory: Tag, form: Any, doing: Doing) -> Tag:
    return correct_tag(memory, form.columns(), doing)
