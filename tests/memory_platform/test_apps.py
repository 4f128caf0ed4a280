"""A package of another distribution that hides one of ours is named at once. Rows: D12."""

import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memory_platform.apps import refuse_other_packages


def test_our_own_packages_are_found() -> None:
    refuse_other_packages()


@pytest.mark.parametrize("module", ["tenants/__init__.py", "profiles.py", "snapshots/租户.py"])
def test_a_package_that_hides_ours_is_named(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / module
    file.parent.mkdir(exist_ok=True)
    file.touch()
    name = Path(module).parts[0].removesuffix(".py")
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(ImproperlyConfigured, match=rf"`{name}` of the memory platform is hidden.*{tmp_path}"):
        refuse_other_packages()
