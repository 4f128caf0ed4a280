"""The lines of docs/clients/openai-proxy.md work as they stand. Rows: D10."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.memory_platform.compat.openai.conftest import Proxy

PAGE = (Path(__file__).parents[4] / "docs" / "clients" / "openai-proxy.md").read_text(encoding="utf-8")
BLOCKS: dict[str, list[str]] = {
    kind: re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.M | re.S) for kind in ("python", "sh")
}


@pytest.mark.processes
def test_the_lines_of_the_page_work(
    acme: Proxy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {
        "BASE": acme.api,
        "KEY": acme.house.token,
        "ADMIN_KEY": acme.house.token,
        "OPENAI_API_KEY": "sk-of-the-page-LAST",
    }
    setting, calling = (line.replace("https://api.openai.com/v1", acme.upstream.url) for line in BLOCKS["sh"])
    assert '"key_end":"LAST"' in run_shell(setting, names)
    answer = run_shell(calling, names)
    assert "x-memory-status: abstained" in answer.lower()
    assert "Take the almonds." in answer
    assert acme.upstream.last.headers["authorization"] == "Bearer sk-of-the-page-LAST"
    assert acme.list_said("user_1") == [("user", "I am allergic to peanuts."), ("assistant", "Take the almonds.")]
    acme.work()
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    [program] = BLOCKS["python"]
    exec(compile(program, "the page", "exec"), {})  # noqa: S102 -- a page of ours
    assert capsys.readouterr().out == "Take the almonds.\n"
    assert "allergic to peanuts" in str(acme.upstream.last.body["messages"][0])
    acme.list_said()


def run_shell(lines: str, names: dict[str, str]) -> str:
    ran = subprocess.run(["bash", "-ec", lines], env=os.environ | names, capture_output=True, text=True, check=True)  # noqa: S607
    return ran.stdout
