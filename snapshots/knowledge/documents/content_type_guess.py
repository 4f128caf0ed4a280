"""Content types of files by the endings of their names."""

from pathlib import PurePath

# What an upload says that does not know what it sends.
SAYS_NOTHING = frozenset({"", "application/octet-stream"})
MARKDOWN, JSON_LINES = "text/markdown", "application/x-ndjson"
TYPE_OF_ENDING = {
    ".txt": "text/plain",
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".html": "text/html",
    ".htm": "text/html",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".jsonl": JSON_LINES,
    ".ndjson": JSON_LINES,
    ".py": "text/x-python",
    ".js": "text/javascript",
    ".ts": "text/x-typescript",
    ".java": "text/x-java",
    ".go": "text/x-go",
    ".rs": "text/x-rust",
    ".c": "text/x-c",
    ".cpp": "text/x-c++",
}


def guess_content_type(name: str, declared: str = "") -> str:
    """Return the content type of a file: the declared one, unless that says nothing, else by the ending of its name;
    text where neither helps."""
    if declared.split(";", maxsplit=1)[0].strip().lower() not in SAYS_NOTHING:
        return declared.strip()
    return TYPE_OF_ENDING.get(PurePath(name).suffix.lower(), "text/plain")
