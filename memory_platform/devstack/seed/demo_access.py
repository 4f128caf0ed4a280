"""Access to the demo world: created once by ``manage.py seed_world``, printed at every start."""

from pathlib import Path

from pydantic import BaseModel, ValidationError

from memory_platform.devstack.stack_file import write_private

FILE_NAME = "demo.json"


class DemoAccess(BaseModel):
    """Console logins and one API key per demo tenant. The file holds whole keys: treat it as a secret."""

    # User name -> password, the platform operator first.
    logins: dict[str, str]
    # Tenant name (`acme`, `globex`) -> API key.
    keys: dict[str, str]
    # The tenant of the printed example.
    tenant: str = "acme"
    # The subject of the printed example, by the product's own id.
    subject: str = "ada"

    def save(self, data_dir: Path) -> None:
        write_private(data_dir / FILE_NAME, self.model_dump_json(indent=2) + "\n")


def demo_access(data_dir: Path) -> DemoAccess | None:
    """Return the content of ``demo.json``, or None if it is missing or unusable."""
    try:
        return DemoAccess.model_validate_json((data_dir / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None
