from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the current time, aware, in UTC.

    Leases and due times never come from here: they use the database's clock, so that a machine whose clock is wrong
    cannot steal or hold work.
    """
    return datetime.now(UTC)
