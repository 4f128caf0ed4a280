"""Why subjects cannot be joined, or a join not be undone."""

from memory_platform.kernel.errors import Conflict


class JoinRefused(Conflict):
    """The subjects cannot be joined now. HTTP 409."""

    code = "join_refused"


class JoinedWithItself(JoinRefused):
    """A subject cannot be joined with itself."""

    code = "joined_with_itself"


class TooLargeToJoin(JoinRefused):
    """The joined subject has too many rows for one transaction; join the smaller one into the larger."""

    code = "too_large_to_join"


class ImportIsRunning(JoinRefused):
    """An import of one of the subjects has not ended. Wait until it has."""

    code = "import_is_running"


class WordsAreWithheld(JoinRefused):
    """Words that a subject wants forgotten are withheld for a day. Wait until they are erased, or bring them back."""

    code = "words_are_withheld"


class ChoiceIsGone(JoinRefused):
    """A value or place that was to be kept is no longer one of two. Look at the preview again."""

    code = "choice_is_gone"


class JoinNotUndone(Conflict):
    """The join cannot be undone now. HTTP 409."""

    code = "join_not_undone"


class JoinUndoneAlready(JoinNotUndone):
    """The join was undone already."""

    code = "join_undone_already"


class LaterJoinFirst(JoinNotUndone):
    """Another subject was joined later. Undo that join first."""

    code = "later_join_first"


class OrderIsOpen(JoinNotUndone):
    """Words that the subject wants forgotten are withheld for a day. Wait until they are erased, or bring them back."""

    code = "words_are_withheld"


class IdIsTaken(JoinNotUndone):
    """The joined subject's id names another subject since."""

    code = "id_is_taken"
