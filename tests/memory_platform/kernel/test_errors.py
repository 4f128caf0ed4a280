"""An error tells its faults when it has no words of its own, wherever it is read. Rows: D1."""

from memory_platform.kernel.errors import FieldFault, InvalidInput

FAULTS = [FieldFault(name, "empty", "Must not be empty.") for name in ("a", "b.0", "c", "d")]


def test_an_error_of_faults_alone_tells_the_first_three() -> None:
    refused = InvalidInput(faults=FAULTS)
    assert refused.detail == "a: Must not be empty. b.0: Must not be empty. c: Must not be empty."
    assert str(refused) == refused.detail


def test_words_of_its_own_come_first() -> None:
    assert InvalidInput("The file is empty.", faults=FAULTS).detail == "The file is empty."
