"""One writer at a time for what is known about one subject."""

from memory_platform.kernel.errors import NotFound
from profiles.models import Subject


def lock_subject(subject: Subject) -> None:
    """Hold the subject's row until the transaction ends; other writers of profile, preferences and tags wait.

    Take it before any other row of the subject, or two writers may wait for each other. Rows that refer to the subject
    (messages, snapshots) can still be added meanwhile. Brings both versions of ``subject`` up to date. Raises NotFound
    when the subject has been erased.
    """
    rows = Subject.objects.select_for_update(no_key=True).filter(id=subject.id)
    versions = rows.values_list("version", "profile_version").first()
    if versions is None:
        raise NotFound("No subject with this id.")
    subject.version, subject.profile_version = versions
