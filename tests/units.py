"""pytest plugin: marks the tests that need neither Postgres, Redis nor a process as `unit`, and holds them to it."""

import platform
import sys
from collections.abc import Generator
from typing import Any, NoReturn

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.embedded_stack import redis_in, run_home

SERVERS = {"redis_server", "running_postgres", "running_redis"}
OTHER_NEEDS = ("browser", "django_db", "models", "processes", "slow")
PROCESS_EVENTS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.system"}
DATABASE_ADVICE = (
    "This test opens the database without a fixture. Ask for `database` or `world` (or `shared_world` of the module); "
    "to stay a unit test, call a function that needs no tables."
)
REDIS_ADVICE = "This test calls Redis without a fixture. Ask for `running_redis`, or for `database` if it needs both."
PROCESS_ADVICE = "This test starts a process. Mark it: `@pytest.mark.processes`."


class Guard:
    """Fails a unit test at its first call of Redis and at the start of a process."""

    def __init__(self) -> None:
        self.on = False
        self._redis_socket = str(redis_in(run_home()).socket)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "socket.connect" and arguments[1] == self._redis_socket:
            refuse(REDIS_ADVICE)
        elif event in PROCESS_EVENTS:
            refuse(PROCESS_ADVICE)


def refuse(advice: str) -> NoReturn:
    __tracebackhide__ = True
    pytest.fail(advice)  # no subclass of Exception: code that goes on without Redis cannot swallow it


def refuse_database(*_arguments: object, **_options: object) -> NoReturn:
    __tracebackhide__ = True
    refuse(DATABASE_ADVICE)


GUARD = Guard()
# The OpenAI client asks for the processor's name; Python starts `uname` for the first answer and keeps it.
platform.processor()
# Client libraries are many and ways to start a process, too: Python tells its audit hooks of all of them.
sys.addaudithook(GUARD)
DjangoDbBlocker._blocking_wrapper = refuse_database  # type: ignore[method-assign]  # its own advice names other fixtures


def needs_server(item: pytest.Item) -> bool:
    return not SERVERS.isdisjoint(getattr(item, "fixturenames", ()))


def is_unit(item: pytest.Item) -> bool:
    return not needs_server(item) and not any(map(item.get_closest_marker, OTHER_NEEDS))


@pytest.hookimpl(tryfirst=True)  # before `-m unit` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_unit(item):
            item.add_marker("unit")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    GUARD.on = item.get_closest_marker("unit") is not None
    try:
        return (yield)
    finally:
        GUARD.on = False
