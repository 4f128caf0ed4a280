"""The soft time limit of a worker as Celery's workers get it: raised by a signal's handler in whatever runs then."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from celery.exceptions import SoftTimeLimitExceeded


@contextmanager
def time_is_up_after(seconds: float) -> Iterator[None]:
    """Let the limit strike the main thread once, ``seconds`` after the block began."""

    def over(*_: object) -> None:
        raise SoftTimeLimitExceeded

    before = signal.signal(signal.SIGUSR1, over)
    alarm = Timer(seconds, os.kill, (os.getpid(), signal.SIGUSR1))
    alarm.start()
    try:
        yield
    finally:
        alarm.join()
        signal.signal(signal.SIGUSR1, before)
