"""Words for kin and other people around the user, as patterns: shared entries for :func:`load_patterns`."""

import tomllib
from pathlib import Path

_TABLE = tomllib.loads((Path(__file__).with_name("data") / "kin_words.toml").read_text(encoding="utf-8"))
KIN_WORDS = {name: "".join(text.splitlines()) for name, text in _TABLE.items()}
