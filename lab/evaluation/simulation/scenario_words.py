"""The words of simulated people, in English and Chinese: facts with their questions, small talk, advice.

A question names the person and asks in other words than the fact was told in; the same people come up in small talk.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ScenarioWords:
    """One language. ``facts``: a statement about ``{who}`` and its question; ``space`` stands between sentences."""

    language: str
    space: str
    names: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    facts: tuple[tuple[str, str], ...]
    talk: tuple[str, ...]
    advice: tuple[str, ...]
    system_prompt: str


def read_words(language: str) -> ScenarioWords:
    held = tomllib.loads(Path(__file__).with_name(f"words_{language}.toml").read_text(encoding="utf-8"))
    lists = {name: tuple(held[name]) for name in ("names", "talk", "advice")}
    values = {name: tuple(choices) for name, choices in held["values"].items()}
    facts = tuple((statement, question) for statement, question in held["facts"])
    return ScenarioWords(
        held["language"], held["space"], values=values, facts=facts, system_prompt=held["system_prompt"], **lists
    )


ENGLISH = read_words("en")
CHINESE = read_words("zh")
