"""The options of ``manage.py up``."""

from dataclasses import dataclass
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class StackOptions:
    """Choices of ``manage.py up``; ``data_dir`` is absolute."""

    data_dir: Path = PROJECT_ROOT / ".dev"
    host: str = "127.0.0.1"
    port: int = 8000
    seed: bool = True
    web_workers: int = 2
    web_threads: int = 4
    job_processes: int = 2

    @property
    def base_url(self) -> str:
        """The address to print: a wildcard host is reachable as localhost."""
        host = "127.0.0.1" if self.host in {"0.0.0.0", ""} else self.host  # noqa: S104 - read, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"
