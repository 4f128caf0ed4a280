"""A call that may hang, with a wait that does not."""

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def run_within(seconds: float, call: Callable[[], Result]) -> Result:
    """Return ``call()``, or raise TimeoutError after ``seconds``.

    The call runs in a thread of its own and goes on there until its own clocks end it. Name look-ups, slow headers and
    local models have no clock that could be set, so this is the only wait that always ends.
    """
    outcome: Future[Result] = Future()
    context = copy_context()
    Thread(target=context.run, args=(_settle, outcome, call), name="time-box", daemon=True).start()
    return outcome.result(timeout=max(seconds, 0))


def _settle(outcome: "Future[Result]", call: Callable[[], Result]) -> None:
    try:
        outcome.set_result(call())
    except BaseException as error:  # noqa: BLE001 -- it is raised again where the result is awaited
        outcome.set_exception(error)
