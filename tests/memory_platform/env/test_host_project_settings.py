"""A project names its secrets and addresses; every other setting that the apps read has a default. Rows: D12."""

import re
from pathlib import Path

import pytest
from django.conf import global_settings
from django.conf import settings as standalone
from pytest_django.fixtures import Settings

from memory_platform.env.host_project_settings import FILLED, REQUIRED, fill_settings, find_default

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("memory_platform", "tenants", "profiles", "snapshots")
# What the service has alone.
STANDALONE = ("console", "devstack", "management", "settings.py", "celery.py", "celery_settings.py")
READ = re.compile(r"(?<![\w.])settings\.([A-Z][A-Z_]+)\b")


def find_settings_read() -> set[str]:
    found: set[str] = set()
    for path in (one for package in PACKAGES for one in (ROOT / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "django.conf import settings" in text and not set(STANDALONE) & set(path.parts):
            found.update(READ.findall(text))
    return found


def test_what_the_apps_read_is_djangos_or_required_or_has_a_default() -> None:
    read = find_settings_read()
    assert {"KEY_PEPPER", "EMBEDDER", "AUTH_USER_MODEL", "UPSTREAM_KEYS"} <= read
    assert {name for name in read if not hasattr(global_settings, name)} <= {*FILLED, *REQUIRED}


@pytest.mark.parametrize("name", FILLED)
def test_a_default_has_the_form_of_the_services_own_setting(name: str) -> None:
    ours, default = getattr(standalone, name), find_default(name)
    kinds = {frozenset: list, float: int | float}
    assert isinstance(default, kinds.get(type(ours), type(ours)))


def test_what_the_project_has_stays_and_what_it_lacks_is_filled(settings: Settings) -> None:
    settings.RERANKER = "http"
    del settings.EMBEDDER, settings.UPSTREAM_HOSTS
    fill_settings()
    assert (settings.RERANKER, settings.EMBEDDER, settings.UPSTREAM_HOSTS) == ("http", "wordllama,use", [])
