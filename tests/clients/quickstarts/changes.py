"""The changed lines that docs/clients/quickstarts.md shows."""

from tests.contracts.documents.blocks import read_blocks

PAGE = "docs/clients/quickstarts.md"
IMPORTS = ("import ", "from ")


def read_changes() -> dict[str, list[str]]:
    """Return what stands instead of each line; its imports come first."""
    changes = {}
    for block in read_blocks(PAGE):
        removed, *added = block.text.splitlines()
        assert removed.startswith("-"), block
        assert all(line.startswith("+") for line in added), block
        changes[removed[1:]] = [line[1:] for line in added]
    return changes


def change_lines(program: str) -> str:
    """Return a program with the lines changed that the page changes, each of which stands in it once."""
    imports, body, changes = list[str](), list[str](), read_changes()
    for line in program.splitlines():
        added = changes.pop(line, [line])
        is_changed = added != [line]
        imports += [one for one in added if is_changed and one.startswith(IMPORTS)]
        body += [one for one in added if not (is_changed and one.startswith(IMPORTS))]
    assert body != program.splitlines(), "no line of the page stands in the program"
    return "\n".join([*imports, *body, ""])
