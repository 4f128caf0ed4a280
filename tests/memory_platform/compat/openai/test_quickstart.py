"""The programs with which OpenAI's SDK introduces itself get a memory by one changed line. Rows: D10."""

import os
import re
import subprocess
import sys
from importlib.metadata import metadata

import pytest

from tests.clients.quickstarts.changes import change_lines
from tests.memory_platform.compat.openai.conftest import PEANUTS, Proxy, remember_peanuts
from tests.memory_platform.compat.openai.fake_upstream import answer_json, completion, response_object

# The first two of the SDK's own README, as its package carries it.
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", metadata("openai")["Description"], re.MULTILINE | re.DOTALL)[:2]
CALLS = ("responses", "chat.completions")


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(("program", "call"), list(zip(PROGRAMS, CALLS, strict=True)), ids=CALLS)
def test_one_line_changes(acme: Proxy, program: str, call: str) -> None:
    assert f"client.{call}.create(" in program
    remember_peanuts(acme)
    said = "Take the almonds."
    acme.upstream.answer = lambda heard: (
        answer_json(response_object(said)) if heard.path.endswith("/responses") else completion(said)
    )
    names = {"BASE": acme.base_url.removesuffix("/compat/openai/v1"), "KEY": acme.house.token}
    command = [sys.executable, "-c", change_lines(program)]
    ran = subprocess.run(command, env=os.environ | names, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == (f"{said}\n", "")
    asked = "How do I check if a Python object is an instance of a class?"
    assert acme.list_said() == [("user", asked), ("assistant", said)]
    assert PEANUTS in acme.upstream.last.raw.decode()
