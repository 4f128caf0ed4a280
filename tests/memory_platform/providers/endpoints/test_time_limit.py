"""A call that may hang is waited for no longer than its limit; its own error comes through. Rows: L1. Matrix: 37."""

from contextvars import ContextVar
from threading import Event

import pytest

from memory_platform.providers.endpoints.time_limit import run_within

WHO = ContextVar("who", default="nobody")


def test_a_call_that_hangs_is_given_up() -> None:
    finish = Event()
    try:
        with pytest.raises(TimeoutError):
            run_within(0.01, lambda: finish.wait(60))  # who waits for it gets an answer
    finally:
        finish.set()


def test_its_result_and_its_error_come_through_and_it_sees_its_callers_context() -> None:
    token = WHO.set("ada")
    try:
        assert run_within(60, WHO.get) == "ada"
    finally:
        WHO.reset(token)

    def fail() -> None:
        raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        run_within(60, fail)
