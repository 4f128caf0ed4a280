"""An event loop that stops for work with the database, which runs in the thread of the request.

The SDK is asynchronous, the web server has threads, and Django refuses its database inside a running loop. asgiref
answers that with a second thread and a new loop for each request. Here the loop stops, the work runs in the same thread
with the same connection, and the loop goes on.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class SteppingLoop(asyncio.SelectorEventLoop):
    """One request at a time uses it. ``kept`` holds the objects that its users made for it."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}
        self._jobs: list[tuple[asyncio.Future[Any], Callable[[], Any]]] = []
        self._held: list[asyncio.Task[Any]] = []

    def keep_alive(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Keep a coroutine that waits for ever, such as a server's life, as a task."""
        self._held.append(self.create_task(coroutine))

    def run_steps(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, and between its steps the jobs that were added."""
        task = self.create_task(coroutine)
        task.add_done_callback(lambda _: self.stop())
        while not task.done():
            self.run_forever()
            self._do_jobs()
        return task.result()

    def add_job(self, work: Callable[[], Any]) -> asyncio.Future[Any]:
        future = self.create_future()
        self._jobs.append((future, work))
        self.stop()
        return future

    def _do_jobs(self) -> None:
        while self._jobs:
            future, work = self._jobs.pop(0)
            try:
                result = work()
            except Exception as error:  # noqa: BLE001  # raised again where it is awaited
                future.set_exception(error)
            else:
                future.set_result(result)


async def run_outside(work: Callable[[], T]) -> T:
    """Run ``work`` while the loop, a :class:`SteppingLoop`, stands still; return its result or raise its error."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, SteppingLoop):
        raise TypeError(f"the running loop is a {type(loop).__name__}")
    result: T = await loop.add_job(work)
    return result


_free: list[SteppingLoop] = []


@contextmanager
def borrow_loop() -> Iterator[SteppingLoop]:
    """Lend a loop for one request, made when all others are in use: there are as many as requests at once."""
    try:
        loop = _free.pop()
    except IndexError:
        loop = SteppingLoop()
    yield loop
    _free.append(loop)  # not after an error: a loop that was left in the middle of a request is not used again
