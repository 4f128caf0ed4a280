"""A service that failed in a row is left alone, and then tried by one caller. Rows: L1. Matrix: 37."""

from types import SimpleNamespace

import pytest

from memory_platform.providers.config import CircuitConfig
from memory_platform.providers.endpoints import circuit_breaker as module
from memory_platform.providers.endpoints.circuit_breaker import Circuit, CircuitOpen

CONFIG = CircuitConfig(failures=2, pause_s=30)


class Clock:
    """A clock that stands still until it is moved."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=clock.monotonic))
    return clock


def open_circuit() -> Circuit:
    circuit = Circuit(CONFIG)
    for _ in range(CONFIG.failures):
        circuit.refuse_while_open()
        circuit.note_failure()
    return circuit


def test_a_success_between_failures_keeps_it_closed(clock: Clock) -> None:
    circuit = Circuit(CONFIG)
    for _ in range(5):
        circuit.note_failure()
        circuit.note_success()
    circuit.refuse_while_open()
    assert circuit.is_closed


def test_after_its_pause_one_caller_tries_and_the_next_is_refused(clock: Clock) -> None:
    circuit = open_circuit()
    clock.now = CONFIG.pause_s - 0.1
    with pytest.raises(CircuitOpen):
        circuit.refuse_while_open()
    clock.now = CONFIG.pause_s
    circuit.refuse_while_open()
    with pytest.raises(CircuitOpen):
        circuit.refuse_while_open()


def test_a_trial_closes_it_or_begins_another_pause(clock: Clock) -> None:
    circuit = open_circuit()
    clock.now = CONFIG.pause_s
    circuit.refuse_while_open()
    circuit.note_failure()
    clock.now += CONFIG.pause_s - 0.1
    with pytest.raises(CircuitOpen):
        circuit.refuse_while_open()
    clock.now += 0.1
    circuit.refuse_while_open()
    circuit.note_success()
    circuit.refuse_while_open()
    assert circuit.is_closed
