"""One writer at a time for what is known about one subject."""

from memory_platform.kernel.errors import NotFound
from profiles.models import Subject


def lock_subject(subject: Subject) -> None:
    """Hold the subject's row until the transaction ends; other writers of profile, preferences and tags wait.

    Take it before any other row of the subject, or two writers may wait for each other. Rows that refer to the subject
    (messages, snapshots) can still be added meanwhile. Raises NotFound when the subject has been erased.
    """
    held = Subject.objects.select_for_update(no_key=True).filter(id=subject.id).values_list("id", flat=True)
    if not list(held):
        raise NotFound("no such subject")
