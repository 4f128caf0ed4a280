"""Errors of Postgres as errors of the API."""

from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError

from memory_platform.kernel.errors import Conflict, InvalidInput, MemoryPlatformError, NotFound, Unavailable

# By five-character code first, then by class (its first two characters). Any other error is internal.
_ANSWERS: dict[str, tuple[type[MemoryPlatformError], str]] = {
    "23505": (Conflict, "Another object already has this id."),
    "23503": (NotFound, "Something that this refers to does not exist."),
    "23514": (InvalidInput, "A value is outside of what the platform stores."),
    "23P01": (Conflict, "This overlaps with another object."),
    "55P03": (Conflict, "Another request is changing the same object."),
    "57014": (Unavailable, "The database took too long."),
    "22": (InvalidInput, "A value cannot be stored."),
    "54": (InvalidInput, "A value is too large or too complex to be stored."),
    "08": (Unavailable, "The database does not answer."),
    "40": (Unavailable, "Too many requests change the same object."),
    "53": (Unavailable, "The database has no room for another request."),
    "57": (Unavailable, "The database is restarting."),
}


def sqlstate_of(error: BaseException) -> str | None:
    """Return the five-character code of a database error or of its cause, or None."""
    seen: BaseException | None = error
    while seen is not None:
        code = getattr(seen, "sqlstate", None)
        if code:
            return str(code)
        seen = seen.__cause__
    return None


def translate_database_error(error: Exception) -> MemoryPlatformError | None:
    """Return the error for something that a caller can cause or wait out; None for any other error."""
    if not isinstance(error, DatabaseError):
        return None
    state = sqlstate_of(error)
    if state is None:
        lost = isinstance(error, OperationalError | InterfaceError)
        return Unavailable("The database does not answer.") if lost else None
    answer = _ANSWERS.get(state) or _ANSWERS.get(state[:2])
    return answer[0](answer[1]) if answer else None
