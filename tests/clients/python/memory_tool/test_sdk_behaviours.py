"""What the SDK's own tool on a disk does, this one does, too, word for word. Rows: D9.

The cases follow the behaviours of the SDK's suite. Left out, since there is no disk: modes of directories and files,
symbolic links, files that are no UTF-8, writes that are cut off, and an empty directory, which a deleted file leaves
on a disk and not here. A file of a million lines is refused when it is created, for its size.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

from snapshots.memory_files.command_types import CommandRefused
from snapshots.memory_files.tool_answers import render_file, render_size
from tests.clients.python.memory_tool.conftest import Hand

pytestmark = pytest.mark.slow

NO_PATH = "The path /memories/none.txt does not exist"


def text_of(hand: Hand, path: str) -> str:
    """Return a file's text, read from its numbered lines."""
    return "\n".join(line.split("\t", 1)[1] for line in hand("view", path=path).split("\n")[1:])


def test_create_answers_with_the_path_and_makes_folders(hand: Hand) -> None:
    told = hand("create", path="/memories/deep/nested/茶.txt", file_text="Hello, 世界!")
    assert told == "File created successfully at: /memories/deep/nested/茶.txt"
    assert text_of(hand, "/memories/deep/nested/茶.txt") == "Hello, 世界!"


def test_create_refuses_what_is_there(hand: Hand) -> None:
    hand("create", path="/memories/a.txt", file_text="Original")
    for path in ("/memories/a.txt", "/memories"):
        with pytest.raises(ToolError, match=f"File {path} already exists"):
            hand("create", path=path, file_text="New")
    assert text_of(hand, "/memories/a.txt") == "Original"


def test_view_numbers_lines_and_keeps_to_a_range(hand: Hand) -> None:
    hand("create", path="/memories/v.txt", file_text="Line 1\nLine 2\nLine 3\nLine 4\nLine 5")
    head = "Here's the content of /memories/v.txt with line numbers:\n"
    assert hand("view", path="/memories/v.txt", view_range=[2, 3]) == f"{head}     2\tLine 2\n     3\tLine 3"
    assert hand("view", path="/memories/v.txt", view_range=[4, -1]) == f"{head}     4\tLine 4\n     5\tLine 5"
    assert hand("view", path="/memories/v.txt").startswith(f"{head}     1\tLine 1\n")


def test_carriage_returns_stay(hand: Hand) -> None:
    hand("create", path="/memories/c.txt", file_text="line1\r\nline2\r\nline3\r\n")
    hand("str_replace", path="/memories/c.txt", old_str="line2", new_str="LINE2")
    hand("insert", path="/memories/c.txt", insert_line=1, insert_text="more")
    assert text_of(hand, "/memories/c.txt") == "line1\r\nmore\nLINE2\r\nline3\r\n"


def test_what_is_not_there_is_told(hand: Hand) -> None:
    with pytest.raises(ToolError, match=f"{NO_PATH}. Please provide a valid path."):
        hand("view", path="/memories/none.txt")
    with pytest.raises(ToolError, match=f"{NO_PATH}. Please provide a valid path."):
        hand("str_replace", path="/memories/none.txt", old_str="a", new_str="b")
    with pytest.raises(ToolError, match=f"{NO_PATH}. Please provide a valid path."):
        hand("insert", path="/memories/none.txt", insert_line=0, insert_text="b")
    with pytest.raises(ToolError, match=NO_PATH):
        hand("delete", path="/memories/none.txt")
    with pytest.raises(ToolError, match=NO_PATH):
        hand("rename", old_path="/memories/none.txt", new_path="/memories/b.txt")


def test_str_replace_shows_the_lines_around(hand: Hand) -> None:
    hand("create", path="/memories/r.txt", file_text="1\n2\n3\nOld Text\n5\n6\n7")
    assert hand("str_replace", path="/memories/r.txt", old_str="Old Text", new_str="新的") == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\t2\n     3\t3\n     4\t新的\n     5\t5\n     6\t6"
    )
    hand("str_replace", path="/memories/r.txt", old_str="新的\n")
    assert text_of(hand, "/memories/r.txt") == "1\n2\n3\n5\n6\n7"


def test_str_replace_needs_exactly_one_match(hand: Hand) -> None:
    hand("create", path="/memories/m.txt", file_text="Hello\nMiddle\nHello")
    with pytest.raises(ToolError, match=r"Multiple occurrences of old_str `Hello` in lines: 1, 3\. Please ensure"):
        hand("str_replace", path="/memories/m.txt", old_str="Hello", new_str="Hi")
    with pytest.raises(ToolError, match=r"old_str `No` did not appear verbatim in /memories/m.txt\."):
        hand("str_replace", path="/memories/m.txt", old_str="No", new_str="Hi")
    with pytest.raises(ToolError, match="must not be empty"):
        hand("str_replace", path="/memories/m.txt", old_str="", new_str="Hi")
    hand("create", path="/memories/dir/x.txt", file_text="x")
    with pytest.raises(ToolError, match="The path /memories/dir is not a file"):
        hand("str_replace", path="/memories/dir", old_str="x", new_str="y")
    assert text_of(hand, "/memories/m.txt") == "Hello\nMiddle\nHello"


@pytest.mark.parametrize(
    ("place", "after"), [(0, "New\nLine 1\nLine 2\n"), (1, "Line 1\nNew\nLine 2\n"), (2, "Line 1\nLine 2\nNew\n")]
)
def test_insert_at_each_place(hand: Hand, place: int, after: str) -> None:
    hand("create", path="/memories/i.txt", file_text="Line 1\nLine 2")
    told = hand("insert", path="/memories/i.txt", insert_line=place, insert_text="New\n")
    assert told == "The file /memories/i.txt has been edited."
    assert text_of(hand, "/memories/i.txt") == after


def test_insert_refuses_a_line_that_is_not_there(hand: Hand) -> None:
    hand("create", path="/memories/i.txt", file_text="Line 1\nLine 2\n")
    for place in (-1, 3):
        with pytest.raises(ToolError, match=rf"Invalid `insert_line` parameter: {place}\. .* range \[0, 2\]\."):
            hand("insert", path="/memories/i.txt", insert_line=place, insert_text="x")


def test_delete_takes_a_file_or_a_whole_folder_but_never_the_root(hand: Hand) -> None:
    for name in ("dir/a.txt", "dir/sub/b.txt", "dirty.txt"):
        hand("create", path=f"/memories/{name}", file_text="x")
    assert hand("delete", path="/memories/dir/a.txt") == "Successfully deleted /memories/dir/a.txt"
    assert hand("delete", path="/memories/dir") == "Successfully deleted /memories/dir"
    assert "dir/" not in hand("view", path="/memories")
    assert text_of(hand, "/memories/dirty.txt") == "x"
    with pytest.raises(ToolError, match="Cannot delete the /memories directory itself"):
        hand("delete", path="/memories/")


def test_rename_moves_files_and_folders(hand: Hand) -> None:
    hand("create", path="/memories/a/one.txt", file_text="1")
    hand("create", path="/memories/taken.txt", file_text="2")
    told = hand("rename", old_path="/memories/a", new_path="/memories/b/c")
    assert told == "Successfully renamed /memories/a to /memories/b/c"
    assert text_of(hand, "/memories/b/c/one.txt") == "1"
    with pytest.raises(ToolError, match=r"The destination /memories/taken\.txt already exists"):
        hand("rename", old_path="/memories/b/c/one.txt", new_path="/memories/taken.txt")
    with pytest.raises(ToolError, match="into itself"):
        hand("rename", old_path="/memories/b", new_path="/memories/b/d")
    with pytest.raises(ToolError, match="Cannot rename the /memories directory itself"):
        hand("rename", old_path="/memories", new_path="/memories/x")
    with pytest.raises(ToolError, match=r"The path /memories/a/one\.txt does not exist"):
        hand("rename", old_path="/memories/a/one.txt", new_path="/memories/z")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/etc/passwd", "Path must start with /memories"),
        ("/memories2/a", "Path must start with /memories"),
        ("/memories/../etc", "would escape /memories directory"),
        ("/memories/a/../../../etc", "would escape /memories directory"),
        ("memories/a", "Path must start with /memories"),
        ("/memories/" + "a/" * 9 + "b", "too deep"),
        ("/memories/" + "茶" * 200, "too long"),
        ("/memories/a\nb", "invisible or control"),
        ("/memories/a\u202eb", "invisible or control"),
    ],
)
def test_a_path_that_cannot_be_is_refused(hand: Hand, path: str, told: str) -> None:
    with pytest.raises(ToolError, match=told):
        hand("create", path=path, file_text="x")


def test_dots_inside_are_resolved(hand: Hand) -> None:
    hand("create", path="/memories/a/../b//./c.txt", file_text="x")
    assert text_of(hand, "/memories/b/c.txt") == "x"


def test_a_listing_is_that_of_the_disk(hand: Hand, tmp_path: Path) -> None:
    """Names, order, depth, hidden ones; sizes of folders are the disk's own."""
    disk: Any = BetaLocalFilesystemMemoryTool(str(tmp_path))
    for name in ("b.txt", "a/z.txt", "a/b/deep.txt", "a.txt", ".hid", ".dir/x.txt", "a/.h", "z/茶.txt"):
        for make in (hand, lambda command, **rest: disk.call({"command": command, **rest})):
            make("create", path=f"/memories/{name}", file_text="x" * 1_536)

    def read(told: str) -> list[tuple[str, str]]:
        rows = [tuple(line.split("\t")) for line in told.split("\n")[1:]]
        return [("", path) if "." not in path else (size, path) for size, path in rows if ".md" not in path]

    for path in ("/memories", "/memories/a"):
        ours, theirs = hand("view", path=path), disk.call({"command": "view", "path": path})
        assert ours.split("\n")[0] == theirs.split("\n")[0]
        assert read(ours) == read(theirs)


def test_sizes_and_line_limits_are_those_of_the_sdk() -> None:
    sizes = {0: "0B", 5: "5B", 1024: "1K", 1536: "1.5K", 1024**2: "1M", 5 * 1024**4: "5120G"}
    assert {size: render_size(size) for size in sizes} == sizes
    with pytest.raises(CommandRefused, match="exceeds maximum line limit of 999,999 lines"):
        render_file("/memories/huge.txt", "\n" * 999_999, ())
    assert render_file("/memories/huge.txt", "\n" * 999_998, (1, 1)).endswith("     1\t")


def test_a_file_of_a_million_lines_is_refused(hand: Hand) -> None:
    for lines, told in ((70_000, "too large"), (999_999, "must have at most")):
        with pytest.raises(ToolError, match=told):
            hand("create", path="/memories/huge.txt", file_text="\n" * lines)


def test_a_wrong_argument_is_told_to_the_model(hand: Hand) -> None:
    with pytest.raises(ToolError, match="file_text"):
        hand("create", path="/memories/a.txt")


def test_the_definition_is_that_of_the_sdk(hand: Hand) -> None:
    assert hand.tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    assert asyncio.iscoroutinefunction(hand.tool.view) == (hand.runner is not None)
