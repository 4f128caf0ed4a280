"""A lock that serialises writes about one subject."""

from collections.abc import Collection

from memory_platform.kernel.errors import Conflict, NotFound
from profiles.models import Subject, SubjectAlias


class SubjectJoined(Conflict):
    """The subject was joined with another one at this moment. Send the request again. HTTP 409."""

    code = "subject_joined"


def lock_subject(subject: Subject) -> None:
    """Lock the subject's row until the transaction ends; other writers of profile, preferences and tags wait.

    Take it before any other row of the subject, or two writers may wait for each other. Rows that refer to the subject
    (messages, snapshots) can still be added meanwhile. Brings both versions of ``subject`` up to date. Raises NotFound
    when the subject has been erased, SubjectJoined when it was joined into another one.
    """
    lock_subjects([subject])


def lock_subjects(subjects: Collection[Subject]) -> None:
    """Lock several subjects as :func:`lock_subject` does, in the order of their ids, by one query."""
    rows = Subject.objects.select_for_update(no_key=True).filter(id__in=[one.id for one in subjects]).order_by("id")
    versions = {row_id: held for row_id, *held in rows.values_list("id", "version", "profile_version")}
    for subject in subjects:
        if subject.id not in versions:
            if SubjectAlias.objects.filter(former_id=subject.id).exists():
                raise SubjectJoined("The subject was joined with another one at this moment. Send the request again.")
            raise NotFound("No subject with this id.")
        subject.version, subject.profile_version = versions[subject.id]
