"""Answers of the memory tool read as those of the SDK's own tool. Rows: D9."""

import pytest

from snapshots.memory_files.command_types import CommandRefused
from snapshots.memory_files.config import MEMORY_FILES
from snapshots.memory_files.tool_answers import render_file, render_folder, render_size, render_snippet


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0B"), (12, "12B"), (1023, "1023B"), (1024, "1K"), (1536, "1.5K"), (5 * 1024**2, "5M")]
)
def test_a_size_has_a_unit(size: int, text: str) -> None:
    assert render_size(size) == text


def test_a_folder_lists_two_levels_and_nothing_hidden() -> None:
    sizes = {
        "/memories/旅行.md": 10,
        "/memories/a/b.md": 20,
        "/memories/a/b/c/d.md": 30,
        "/memories/.hidden/x.md": 40,
        "/memoriesX/no.md": 50,
    }
    head, *lines = render_folder("/memories", "/memories", sizes).split("\n")
    assert head == "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:"
    assert lines == [
        "100B\t/memories",
        "50B\t/memories/a/",
        "30B\t/memories/a/b/",
        "20B\t/memories/a/b.md",
        "10B\t/memories/旅行.md",
    ]


def test_a_file_has_line_numbers_and_may_be_shown_in_part() -> None:
    text = "one\n二\nthree"
    assert render_file("/memories/x", text, ()).split("\n")[1:] == ["     1\tone", "     2\t二", "     3\tthree"]
    assert render_file("/memories/x", text, (2, -1)).split("\n")[1:] == ["     2\t二", "     3\tthree"]
    with pytest.raises(CommandRefused, match="exceeds maximum line limit"):
        render_file("/memories/x", "\n" * MEMORY_FILES.lines, ())


def test_a_change_is_shown_with_the_lines_around_it() -> None:
    text = "\n".join(map(str, range(10)))
    assert render_snippet(text, 5).split("\n")[1:] == [f"{at + 1:>6}\t{at}" for at in range(3, 8)]
