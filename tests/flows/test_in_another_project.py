"""The wheel in a new project, by the lines of docs/in-your-project.md: from nothing to a recall. Rows: D12."""

import os
import re
import secrets
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from psycopg.conninfo import conninfo_to_dict

from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.devstack.servers.redis import EmbeddedRedis
from tests.flows.stage import ROOT, wait_until

pytestmark = [
    pytest.mark.processes,
    pytest.mark.slow,
    pytest.mark.timeout(600),  # fifteen programs start, each of which compiles or imports a thousand modules
    pytest.mark.xdist_group("flows"),
]

PAGE = ROOT / "docs" / "in-your-project.md"
PACKAGES = ("memory_platform", "profiles", "snapshots", "tenants")
OWN_USERS = """
import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models


class Person(AbstractUser):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
"""
# A project of somebody else needs none of these.
LIST_STANDALONE = """
import sys, mysite.wsgi
standalone = {"memory_platform.settings", "memory_platform.celery", "memory_platform.console", "lab", "tests"}
print(sorted(standalone & set(sys.modules)))
"""
OWN_SETTINGS = """
INSTALLED_APPS += ["people"]
AUTH_USER_MODEL = "people.Person"
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.BrowsableAPIRenderer"],
    "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.AcceptHeaderVersioning",
}
"""
ACCEPTED_BY_MCP = "application/json, text/event-stream"
CALL_OF_MCP = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "recall", "arguments": {"query": "tea"}},
}
OWN_TEST = """
from django.test import TestCase
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import create_tenant


class TenantTest(TestCase):
    databases = {"default", "owner"}

    def test_a_tenant_is_made(self):
        create_tenant(slug="tested", name="Tested", by=COMMAND_LINE)
"""


def read_page(mark: str) -> list[tuple[str, str]]:
    """Return the blocks of the page that follow `<!-- mark: where -->`, each with its `where`."""
    return re.findall(rf"<!-- {mark}(?:: (\S+))? -->\n```\w+\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = ["wheel", str(ROOT), "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *command], check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment that has the wheel; the packages that it needs are those of this one."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=True)
    (fresh,) = home.glob("lib/*/site-packages")
    (fresh / "needed.pth").write_text(sysconfig.get_path("purelib"))
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(fresh)
    return home / "bin" / "python"


class OtherProject:
    """Somebody else's project, in a folder and a database of its own."""

    def __init__(self, folder: Path, python: Path, environment: dict[str, str]) -> None:
        self.folder, self.python, self.environment = folder, python, environment
        self._processes: list[subprocess.Popen[bytes]] = []
        self.run("-m", "django", "startproject", "mysite", ".")

    def run(self, *arguments: str) -> str:
        """Run Python and return what it printed; fail with all that it said."""
        done = subprocess.run(
            [self.python, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout.strip()

    def append(self, name: str, lines: str) -> None:
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{lines}")

    def start(self, *arguments: str) -> None:
        with (self.folder / "processes.log").open("ab") as log:
            self._processes.append(
                subprocess.Popen(
                    [self.python, "-m", *arguments],
                    cwd=self.folder,
                    env=self.environment,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                )
            )

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(30)


@pytest.fixture(params=["Django's users", "own users"])
def project(
    request: pytest.FixtureRequest,
    python: Path,
    running_postgres: EmbeddedPostgres,
    redis_server: EmbeddedRedis,
    tmp_path: Path,
) -> Iterator[OtherProject]:
    """A project with the page's lines, whose database is migrated."""
    name = f"site_{secrets.token_hex(4)}"
    superuser = running_postgres.superuser_url()
    environment = {
        "PATH": os.environ["PATH"],
        "OPENBLAS_NUM_THREADS": "1",
        "POSTGRES_HOST": str(conninfo_to_dict(superuser)["host"]),
        "KEY_PEPPER": secrets.token_urlsafe(48),
        "REDIS_URL": redis_server.url,
        "CELERY_BROKER_URL": redis_server.broker_url,
    }
    folder = tmp_path / "project"
    folder.mkdir()
    with closing(OtherProject(folder, python, environment)) as made:
        for where, lines in read_page("into"):
            made.append(where, lines.replace('"NAME": "mysite"', f'"NAME": "{name}"'))
        if request.param == "own users":
            made.append("mysite/settings.py", OWN_SETTINGS)
            made.run("-m", "django", "startapp", "people")
            made.append("people/models.py", OWN_USERS)
            made.append("people/tests.py", OWN_TEST)
            made.run("manage.py", "makemigrations", "people")
        ((_, line),) = read_page("provision")
        here = {"postgresql://postgres@localhost/postgres": superuser, "mysite": name}
        made.run(*(here.get(word, word) for word in line.split()[1:]), "--keep-passwords")
        yield made


def test_the_wheel_holds_the_apps_with_their_files_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed_files = {one for one in packed.namelist() if ".dist-info/" not in one}
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file())
    assert packed_files == {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}


def test_a_project_gets_memory_by_the_lines_of_the_page(project: OtherProject) -> None:
    ((_, commands),) = read_page("run")
    *before, create_key = [line.split()[1:] for line in commands.splitlines()]
    for command in before:
        project.run(*command)
    key = project.run(*create_key)
    if (project.folder / "people").exists():
        project.run("manage.py", "test")
    else:
        assert project.run("-c", LIST_STANDALONE) == "[]"

    socket = project.folder / "web.sock"
    project.start("gunicorn", "mysite.wsgi", "--bind", f"unix:{socket}", "--threads", "2")
    project.start("celery", "--app", "mysite", "worker", "--beat", "--concurrency", "1", "--schedule", "beat")
    transport, headers = httpx.HTTPTransport(uds=str(socket)), {"Authorization": f"Bearer {key}"}
    with httpx.Client(transport=transport, base_url="http://localhost/memory", headers=headers, timeout=120) as client:
        wait_until(socket.exists)
        said = {"messages": [{"role": "user", "content": "I only drink jasmine tea. 我住在杭州。"}]}
        posted = client.post("/v1/subjects/ada/conversations/c1/messages", json=said)
        assert posted.is_success, posted.text

        def recall() -> list[dict[str, object]]:
            answer = client.post("/v1/subjects/ada/recall", json={"query": "What tea does she drink?"})
            assert answer.status_code == 200, answer.text
            found: list[dict[str, object]] = answer.json()["memories"]
            return found

        wait_until(lambda: any("jasmine" in str(one) for one in recall()), every=0.3)
        called = client.post(
            "/mcp?subject=ada", json=CALL_OF_MCP, headers={"Accept": "application/json, text/event-stream"}
        )
        assert "jasmine" in called.text
        wait_until(lambda: client.get("/health/ready").json()["checks"]["postgres"] == "ok")
        document = client.get("/v1/schema").json()
        assert document["servers"][0]["url"] == "/memory"
        assert "/v1/subjects/{subject_id}/recall" in document["paths"]
        assert client.get("/v1/subjects/ada/notes", headers={"Authorization": "Bearer no"}).status_code == 401
        assert "Django administration" in client.get("http://localhost/admin/login/").text, "the project's own page"
