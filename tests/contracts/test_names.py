"""Functions and classes have names that say what they do or hold: a bare participle says neither. Rows: D16."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.contracts.test_code import ModuleNames, read_names

# One worker parses the source.
pytestmark = pytest.mark.xdist_group("source")
ROOT = Path(__file__).resolve().parents[2]
SOURCE_PACKAGES = ("memory_platform", "tenants", "profiles", "snapshots", "lab")
NAMED_PACKAGES = (*SOURCE_PACKAGES, "tests")
IRREGULAR = re.compile(
    "beaten|begun|born|borne|bought|bound|broken|brought|built|caught|chosen|come|dealt|done|drawn|driven|fallen|fed|felt|"
    "forgotten|fought|found|given|gone|got|grown|heard|held|hidden|hung|kept|known|laid|learnt|led|left|lent|lit|lost|"
    "made|meant|met|overtaken|paid|parted|ran|rebuilt|rewritten|risen|rung|said|sat|seen|sent|shaken|shown|sold|sought|"
    "spent|spoken|stolen|stood|struck|sung|sunk|sworn|taken|taught|told|torn|thought|thrown|undone|unseen|unspread|woken|"
    "won|worn|written"
)
REGULAR = re.compile("[a-z]+ed")
VERBS_IN_ED = frozenset(
    {"bleed", "breed", "embed", "exceed", "feed", "heed", "need", "proceed", "reembed", "seed", "shed", "speed"}
)
FIELD_DECLARATIONS = frozenset({"assumed", "measured", "promised"})
"""They declare a configuration field and the provenance of its default: ``limit: int = measured(9, source=...)``."""
VAGUE_WORDS = frozenset({"told", "wanted", "asked", "held", "whose", "given", "prepared", "chosen", "found"})
"""Arguments and fields are called after what they are: ``query``, not ``asked``."""
FIELDS_WITH_A_REASON = {"asked": "a count", "held": "a column of the database"}
MOST_WHATS = 20
"""In 10,000 words of docstrings: "return the changes" says more than "return what changed"."""
CLASSES_WITH_A_REASON = {
    "Forgotten": "its table has the name",
    "Refused": "an error of HTTP 422",
}


def is_bare_participle(name: str) -> bool:
    """Return whether the name is one word that is a past participle or a past tense."""
    word = name.strip("_").lower()
    if re.search(r"[a-z][A-Z]", name):  # two words
        return False
    return word not in VERBS_IN_ED and any(words.fullmatch(word) for words in (IRREGULAR, REGULAR))


def name_modules(packages: Iterable[str]) -> Iterator[tuple[str, ModuleNames]]:
    """Yield the place and the names of each module but migrations."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield str(path.relative_to(ROOT)), read_names(path)


def test_a_function_says_what_it_does() -> None:
    bare = [
        f"{place}: {name}"
        for place, names in name_modules(NAMED_PACKAGES)
        for name, _ in names.functions
        if is_bare_participle(name) and name not in FIELD_DECLARATIONS
    ]
    assert bare == []


def test_arguments_and_fields_are_called_after_what_they_hold() -> None:
    modules = list(name_modules(SOURCE_PACKAGES))
    vague = [f"{place}: {name}" for place, names in modules for name in sorted(names.arguments & VAGUE_WORDS)]
    assert vague == []
    assert {name for _, names in modules for name in names.fields & VAGUE_WORDS} == FIELDS_WITH_A_REASON.keys()


def test_a_class_is_called_after_a_thing() -> None:
    named = [(name, place) for place, names in name_modules(NAMED_PACKAGES) for name in names.classes]
    bare = {name: place for name, place in named if is_bare_participle(name)}
    assert bare.keys() == CLASSES_WITH_A_REASON.keys()


@pytest.mark.parametrize("package", SOURCE_PACKAGES)
def test_docstrings_name_things(package: str) -> None:
    words = [word for _, names in name_modules([package]) for word in names.docstring_words]
    assert 10_000 * words.count("what") <= MOST_WHATS * len(words)


@pytest.mark.parametrize("name", ["told", "_held", "Shown", "narrowed", "__asked"])
def test_bare_participles_are_recognised(name: str) -> None:
    assert is_bare_participle(name)


@pytest.mark.parametrize("name", ["embed", "_read", "put", "stated_claim", "is_closed", "Speed", "CallFailed"])
def test_verbs_and_nouns_pass(name: str) -> None:
    assert not is_bare_participle(name)


def test_source_and_documents_name_no_ids_of_promises() -> None:
    """Ids such as those of docs/features.md belong to tests; a reader elsewhere would have to look them up."""
    code = re.compile(r"\((?:rows? )?[A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*\)|\brows? [A-Z]\d{1,2}\b")
    sources = [path for package in SOURCE_PACKAGES for path in (ROOT / package).rglob("*.py")]
    pages = [path for path in (ROOT / "docs").rglob("*.md") if path.name != "features.md"]
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted([*sources, *pages])
        if "migrations" not in path.parts
        for match in [code.search(path.read_text(encoding="utf-8"))]
        if match
    ]
    assert found == []


def test_a_class_name_means_one_thing() -> None:
    places: dict[str, list[str]] = {}
    for place, names in name_modules(SOURCE_PACKAGES):
        for name in names.classes:
            if name not in {"Meta", "Command"}:  # Django's names
                places.setdefault(name, []).append(place)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
