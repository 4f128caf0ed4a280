"""Utterances for the tests of this room: Ada of acme speaks, unless a test says otherwise."""

from datetime import UTC, datetime

from snapshots.understanding.values import Utterance

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def utter(text: str, *, key: str = "m1", role: str = "user", name: str | None = None, seq: int = 1) -> Utterance:
    """Return one message of Ada's conversation."""
    return Utterance(key, role, name, text, AT, seq)
