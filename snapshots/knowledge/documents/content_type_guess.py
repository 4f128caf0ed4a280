"""Content types of files by the endings of their names."""

from pathlib import PurePath

from snapshots.knowledge.reading.code_languages import CODE_LANGUAGES

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
    **{f".{ending}": one.content_types[0] for one in CODE_LANGUAGES for ending in one.endings},
}


def guess_content_type(name: str, declared: str = "") -> str:
    """Return the content type of a file: the declared one, unless that says nothing, else by the ending of its name;
    text where neither helps."""
    if declared.split(";", maxsplit=1)[0].strip().lower() not in SAYS_NOTHING:
        return declared.strip()
    return TYPE_OF_ENDING.get(PurePath(name).suffix.lower(), "text/plain")
