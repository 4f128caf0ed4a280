"""Every `manage.py` line of the pages is one that the command understands. Rows: D15, D16."""

import re
import shlex
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, get_commands, load_command_class

from tests.contracts.documents.blocks import list_pages, read_blocks

LINE = re.compile(r"manage\.py (?P<name>\w+)(?P<rest>(?:'[^']*'|\"[^\"]*\"|\\\n|[^\n|>)])*)")
PLACEHOLDERS = {"$KEY_ID": "0123456789ab"}


def list_command_lines(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command with its arguments, as a shell would part them."""
    for line in LINE.finditer(text):
        parts = shlex.split(line["rest"].replace("\\\n", " "), comments=True)
        yield line["name"], [PLACEHOLDERS.get(one, one) for one in parts]


def parse_line(name: str, arguments: list[str]) -> None:
    """Let the command read its arguments. Raises CommandError for what it does not know."""
    application = get_commands().get(name)
    if application is None:
        raise CommandError(f"no command {name}")
    command = load_command_class(application, name) if isinstance(application, str) else application
    command.create_parser("manage.py", name).parse_args(arguments)


def test_every_line_is_understood() -> None:
    lines = [
        (block.page, name, arguments)
        for page in list_pages()
        for block in read_blocks(page)
        for name, arguments in list_command_lines(block.text if block.number else "")
    ]
    assert len(lines) > 30
    faults = []
    for page, name, arguments in lines:
        try:
            parse_line(name, arguments)
        except CommandError as error:
            faults.append(f"{page}: {name} {' '.join(arguments)}: {error}")
    assert faults == []


def test_lines_are_parted() -> None:
    text = (
        "KEY=$(.venv/bin/python manage.py create_key --tenant acme)\n"
        ".venv/bin/python manage.py set_limits --reason 'a > b' \\\n  --burst 1 > x  # why\n"
    )
    assert list(list_command_lines(text)) == [
        ("create_key", ["--tenant", "acme"]),
        ("set_limits", ["--reason", "a > b", "--burst", "1"]),
    ]


@pytest.mark.parametrize(("name", "arguments"), [("nothing", []), ("create_key", ["--tennant", "acme"])])
def test_a_line_with_a_fault_is_found(name: str, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        parse_line(name, arguments)
