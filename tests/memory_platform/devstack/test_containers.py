"""What the containers run before the service makes all that it needs, once, and repeats without harm. Rows: D13."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import yaml

from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.devstack.servers.redis import EmbeddedRedis

ROOT = Path(__file__).parents[3]
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


@pytest.fixture(scope="module")
def server(open_directory: Path) -> Iterator[EmbeddedPostgres]:
    postgres = EmbeddedPostgres(open_directory / "postgres", durable=False)
    postgres.start()
    yield postgres
    postgres.stop()


@pytest.fixture(scope="module")
def redis(open_directory: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(open_directory / "redis")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def environment(server: EmbeddedPostgres, redis: EmbeddedRedis, tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "SECRETS": str(tmp_path),
        "SUPERUSER_URL": server.superuser_url(),
        "REDIS_URL": redis.url,
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"),
    }


def run(environment: dict[str, str], *command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def set_up(environment: dict[str, str]) -> str:
    """Run what the services of compose.yaml run in this order."""
    said = ""
    for service in ("secrets", "set-up"):
        said = run(environment, "sh", "deploy/enter.sh", *SERVICES[service]["command"])
    return said


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.timeout(400)
def test_it_makes_everything_once_and_keeps_it(environment: dict[str, str], server: EmbeddedPostgres) -> None:
    first = set_up(environment)
    made = {path.name: path.read_text() for path in Path(environment["SECRETS"]).glob("*.env")}
    assert "API key" in first
    assert "password" in first

    again = set_up(environment)

    assert "API key" not in again
    assert {path.name: path.read_text() for path in Path(environment["SECRETS"]).glob("*.env")} == made
    with psycopg.connect(server.superuser_url("memory")) as connection:
        (tenants,) = connection.execute("SELECT count(*) FROM tenant").fetchone() or (0,)
    assert tenants == 1
    # What the chart's job runs: it is told the addresses, and makes tables and nothing else.
    told = run(environment, "sh", "-c", f". {environment['SECRETS']}/memory.env; sh deploy/set_up.sh tables")
    assert "No migrations to apply" in told
    assert "API key" not in told
    # A program finds the environment that was made.
    checked = run(environment, "sh", "deploy/enter.sh", "python", "manage.py", "check", "--database", "default")
    assert "no issues" in checked


def test_the_programs_are_those_of_the_deployment_page() -> None:
    page = (ROOT / "docs" / "operations" / "deployment.md").read_text()
    for service in ("worker", "beat"):
        assert f".venv/bin/{' '.join(SERVICES[service]['command'])}" in page
    image = (ROOT / "Dockerfile").read_text()
    assert '"gunicorn", "memory_platform.wsgi"' in image
    for option in ("--workers 2", "--threads 4", "--limit-request-line 8190"):
        name, value = option.split()
        assert f'"{name}", "{value}"' in image
        assert option in page


@pytest.mark.parametrize("name", ["secrets", "set-up", "web", "worker", "beat"])
def test_no_program_of_ours_runs_with_more_rights_than_it_needs(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert "USER 10001:10001" in (ROOT / "Dockerfile").read_text()
