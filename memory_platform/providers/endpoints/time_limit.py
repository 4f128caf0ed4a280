"""A bounded wait for a call that may hang."""

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def run_within(seconds: float, call: Callable[[], Result]) -> Result:
    outcome: Future[Result] = Future()
    context = copy_context()
    Thread(target=context.run, args=(_set_outcome, outcome, call), name="time-box", daemon=True).start()
    return outcome.result(timeout=max(seconds, 0))


def _set_outcome(outcome: "Future[Result]", call: Callable[[], Result]) -> None:
    try:
        outcome.set_result(call())
    except BaseException as error:  # noqa: BLE001 -- it is raised again where the result is awaited
        outcome.set_exception(error)
