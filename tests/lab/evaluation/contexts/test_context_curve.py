"""``manage.py context_curve`` against a served stack: figures, picture, and the same a second time. Rows: D4, X1."""

from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import CommandError, call_command

from snapshots.models import Message
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.serving import serve_app, working

LIFE = {
    "name": "small",
    "language": "en",
    "subjects": [
        {
            "subject_id": "kim",
            "sessions": [
                {
                    "conversation_id": "one",
                    "started_at": "2026-10-01T09:00:00Z",
                    "turns": [
                        {"role": "user", "content": "I am allergic to peanuts."},
                        {"role": "assistant", "content": "Noted."},
                        {"role": "user", "content": "My daughter Juno plays the cello on Tuesdays."},
                    ],
                }
            ],
            "questions": [
                {"id": "q1", "at": "2026-10-07T12:00:00Z", "query": "Which snack is safe?", "needed": [["peanuts"]]},
                {"id": "q2", "at": "2026-10-07T12:01:00Z", "query": "When is the cello?", "needed": [["tuesday"]]},
                {"id": "q3", "at": "2026-10-07T12:02:00Z", "query": "What is 2 + 2?", "needed": []},
            ],
        }
    ],
}
TALK = {
    "subjects": [
        {
            "subject_id": "a",
            "conversations": [
                {
                    "conversation_id": "c",
                    "messages": [
                        {"role": "user", "content": "The ferry was late."},
                        {"role": "assistant", "content": "Again?"},
                    ],
                }
            ],
        }
    ]
}


def write(path: Path, content: Any) -> Path:
    path.write_bytes(orjson.dumps(content))
    return path


def held_messages(world: World) -> int:
    with tenant_tx(world.acme.tenant.id):
        return Message.objects.count()


def test_a_life_is_told_once_and_its_curve_rises(world: World, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the packages of the group evaluation are not installed")
    lives, noise = write(tmp_path / "lives.json", LIFE), write(tmp_path / "noise.json", TALK)
    out, picture, said = tmp_path / "run.json", tmp_path / "curve.png", StringIO()
    key = world.acme.headers["Authorization"].removeprefix("Bearer ")

    with serve_app() as port, working(world.acme.tenant.id):

        def ask(*more: str) -> dict[str, Any]:
            where = (f"--base=http://127.0.0.1:{port}", f"--key={key}", "--budgets=40,150,1000")
            call_command("context_curve", str(lives), *where, f"--json={out}", f"--plot={picture}", *more, stdout=said)
            found: dict[str, Any] = {one["name"]: one for one in orjson.loads(out.read_bytes())["sets"]}
            return found

        once = ask()
        assert held_messages(world) == 3
        assert ask() == once
        assert held_messages(world) == 3, "a second time nothing is told anew"
        earlier = write(tmp_path / "earlier.json", {"version 1": {"small": {"40": 0.0, "1000": 0.5}}})
        both = ask(f"--noise={noise}", f"--earlier={earlier}")
        assert held_messages(world) == 3 + 5

    first, noisy = both["small"], both["small, with noise"]
    assert first["questions"] == 2, "a question that needs nothing is not asked"
    assert first["curves"]["contexts"]["1000"] == 1.0
    assert first["curves"]["contexts"]["40"] < 1.0
    assert first["curves"]["BM25, bare lines"] == {"40": 0.5, "150": 0.5, "1000": 0.5}
    assert first["whole history"] == {"tokens": 19, "covered": 1.0}
    assert noisy["whole history"]["tokens"] > first["whole history"]["tokens"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "| small: contexts |" in said.getvalue()
    assert "peanuts" not in out.read_text() + said.getvalue(), "a run holds nobody's words"


def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path) -> None:
    where = ("--base=http://127.0.0.1:9", "--key=none")
    with pytest.raises(CommandError, match="is not a file of lives"):
        call_command("context_curve", str(write(tmp_path / "no.json", {"subjects": [{}]})), *where)
    with pytest.raises(CommandError, match="does not hold what was covered before"):
        lives, earlier = write(tmp_path / "lives.json", LIFE), write(tmp_path / "earlier.json", {"version 1": [0.5]})
        call_command("context_curve", str(lives), f"--earlier={earlier}", *where)
    with pytest.raises(CommandError, match=r"does not answer .*name the stack with --base"):
        call_command("context_curve", str(write(tmp_path / "lives.json", LIFE)), *where, stdout=StringIO())
