"""What the platform does after it has answered can be waited for. Rows: D11."""

from typing import Any

import pytest

from memory_platform_client import JobFailed, TimedOut
from tests.clients.python.conftest import Asker
from tests.clients.python.scripted_server import Line, Script


def job(status: str, **more: Any) -> Line:
    return Line(body={"id": "j1", "kind": "import", "status": status, "error": None, **more})


def pending(count: int) -> Line:
    return Line(body={"pending": count, "dead": 0, "oldest_seconds": None})


def test_a_job_is_waited_for(asker: Asker, script: Script) -> None:
    script.play(job("queued"), job("running"), job("succeeded", result={"stored": 3}))
    assert asker(asker.memory.jobs.wait("j1")).result == {"stored": 3}
    assert len(script.questions) == 3


@pytest.mark.parametrize("status", ["failed", "dead"])
def test_a_job_that_failed_is_an_error(asker: Asker, script: Script, status: str) -> None:
    script.play(job(status, error={"code": "bad_line"}))
    with pytest.raises(JobFailed, match=rf"j1 \(import\) is {status}: bad_line") as caught:
        asker(asker.memory.jobs.wait("j1"))
    assert caught.value.job.status == status


def test_learning_is_waited_for(asker: Asker, script: Script) -> None:
    script.play(pending(2), pending(1), pending(0))
    assert asker(asker.memory.subject("ada").wait()).pending == 0


def test_waiting_ends(asker: Asker, script: Script) -> None:
    script.play(pending(1))
    with pytest.raises(TimedOut, match=r"Not learned within 0\.2 seconds"):
        asker(asker.memory.subject("ada").wait(timeout_s=0.2))
    assert 2 < len(script.questions) < 8
