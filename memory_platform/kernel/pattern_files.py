"""Load regular expressions from a TOML file: patterns are data, and their shared words are defined once."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

# The braces of repetitions hold digits and are left alone.
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def load_patterns(path: Path, shared: Mapping[str, str] = MappingProxyType({})) -> Mapping[str, re.Pattern[str]]:
    """Return the compiled patterns of a file by name: those of ``[patterns]`` ignore case, those of ``[cased]`` do not.

    The lines of a pattern are joined, and ``{name}`` is replaced by that entry of ``[words]`` or of ``shared``.
    """
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    words = dict(shared)

    def fill(text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: words[match[1]], "".join(text.splitlines()))

    for name, text in table.get("words", {}).items():
        words[name] = fill(text)
    flags = {"patterns": re.IGNORECASE, "cased": re.RegexFlag(0)}
    return {name: re.compile(fill(text), flags[kind]) for kind in flags for name, text in table.get(kind, {}).items()}
