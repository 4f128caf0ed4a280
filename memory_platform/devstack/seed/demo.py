"""The demo world's ways in: made once by ``manage.py seed_world``, printed at every start."""

from pathlib import Path

from pydantic import BaseModel, ValidationError

from memory_platform.devstack.stack_file import write_private

FILE_NAME = "demo.json"


class DemoAccess(BaseModel):
    """Console logins and one API key per demo tenant. The keys are full keys: the file is as secret as they are."""

    logins: dict[str, str]
    """User name -> password, the platform operator first."""
    keys: dict[str, str]
    """Tenant name (``acme``, ``globex``) -> API key."""
    tenant: str = "acme"
    """The tenant that the printed example asks."""
    subject: str = "ada"
    """The subject that the printed example asks about, by the product's own id."""

    def save(self, data_dir: Path) -> None:
        """Write ``demo.json`` with mode 0600."""
        write_private(data_dir / FILE_NAME, self.model_dump_json(indent=2) + "\n")


def demo_access(data_dir: Path) -> DemoAccess | None:
    """Return what ``seed_world`` left in ``data_dir``, or None when there is nothing usable."""
    try:
        return DemoAccess.model_validate_json((data_dir / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None
