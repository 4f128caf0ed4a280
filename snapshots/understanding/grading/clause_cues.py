"""Cues in the words of a clause, read from ``cues.toml``: features for the classifier, and the classes of vital
notes."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from memory_platform.kernel.linear_model import Float32

CUES = Path(__file__).with_name("cues.toml")
# Cues that are also searched in the whole message: "from now on" may stand in another clause.
OF_MESSAGES = ("once", "regular", "bound", "wish", "ending", "supposed", "standing")


@dataclass(frozen=True, slots=True)
class ClauseCue:
    """One named pattern; ``vital`` names a class of vital notes. ``outright`` finds words that are enough alone: names
    of illnesses and medicines, "from now on". The classifier does not use these."""

    name: str
    pattern: re.Pattern[str]
    vital: bool
    outright: re.Pattern[str] | None = None


@cache
def load_clause_cues(path: Path = CUES) -> tuple[ClauseCue, ...]:
    rows = tomllib.loads(path.read_text(encoding="utf-8"))
    outright = {
        name: {language: row[f"outright_{language}"] for language in ("en", "zh") if row.get(f"outright_{language}")}
        for name, row in rows.items()
    }
    return tuple(
        ClauseCue(
            name, _compile_cue(row), bool(row.get("vital")), _compile_cue(outright[name]) if outright[name] else None
        )
        for name, row in rows.items()
    )


def compute_cue_features(form: str, message_form: str) -> Float32:
    """Return one number per cue of a clause, then per cue of OF_MESSAGES of its message; 1 where it is found. Both
    texts are matching forms."""
    cues = load_clause_cues()
    own = [cue.pattern.search(form) is not None for cue in cues]
    around = [cue.pattern.search(message_form) is not None for cue in cues if cue.name in OF_MESSAGES]
    return np.array([*own, *around], np.float32)


def find_vital_cues(form: str) -> list[str]:
    return [cue.name for cue in load_clause_cues() if cue.vital and cue.pattern.search(form)]


def find_outright_vital(form: str) -> str:
    named = (cue.name for cue in load_clause_cues() if cue.vital and cue.outright and cue.outright.search(form))
    return next(named, "")


def says_from_now_on(form: str) -> bool:
    return any(cue.name == "standing" and cue.outright and cue.outright.search(form) for cue in load_clause_cues())


def has_cue(name: str, form: str) -> bool:
    return next(cue for cue in load_clause_cues() if cue.name == name).pattern.search(form) is not None


def _compile_cue(row: dict[str, object]) -> re.Pattern[str]:
    parts = []
    if "en" in row:
        parts.append(rf"\b(?:{row['en']})\b")
    if "en_start" in row:
        parts.append(rf"^(?:{row['en_start']})\b")
    if "zh" in row:
        parts.append(f"(?:{row['zh']})")
    if "zh_start" in row:
        parts.append(f"^(?:{row['zh_start']})")
    return re.compile("|".join(parts), re.IGNORECASE)
