"""``manage.py env_table``: print the table of docs/configuration.md."""

from django.core.management.base import BaseCommand
from pydantic.fields import FieldInfo

from memory_platform.env.environment import PROJECT_ROOT, Environment


def env_table() -> str:
    """Return the table as Markdown, one line per variable, in the order of the class."""
    rows = [
        f"| `{name.upper()}` | {_render_default(field)} | {field.description} |"
        for name, field in Environment.model_fields.items()
    ]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows])


def _render_default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    shown = str(field.default).replace(str(PROJECT_ROOT), ".")
    return f"`{shown}`" if shown else "empty"


class Command(BaseCommand):
    help = "Print the table of environment variables as Markdown."

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write(env_table())
