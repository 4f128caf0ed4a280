"""A prompt's version tells its words: whoever changes a word raises the version. Rows: L1, S1, C4, D4.

What a model answered is kept, and named as an origin, by the version of what it was asked.
"""

from hashlib import blake2b
from importlib import import_module
from pathlib import Path

import orjson

from lab.evaluation import judge_prompts as evaluation
from memory_platform.providers.chat_prompts import PromptTemplate

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("memory_platform", "profiles", "snapshots", "tenants")
DIGESTS = {
    "digest-1": "222757bcf2b859f1",
    "extract-1": "09420090c81a6d1d",
    "ground-1": "943ebd076573bad2",
    "join-1": "c090cd675d8f417a",
    "judge-1": "4355311ddd9c891b",
    "judging-1": "78a803ee377f2c34",
    "propose-1": "af6ab0771f6982d7",
    "propose-ended-1": "e3db91f0d0e55db0",
    "propose-fields-1": "fbdf145f6dccf13e",
    "rewrite-1": "54166651957c32a9",
    "rewrite-passage-1": "295115bdbb5578fc",
    "summary-1": "4b9d9547ef41bfb0",
    "understand-1": "e676c6f7decd0e93",
}
"""The words of each version. A new version comes in; those before it stay as they were, so that none is used again."""


def digest(words: object) -> str:
    return blake2b(orjson.dumps(words, option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()


def prompts() -> list[PromptTemplate]:
    """Return the prompts of every module that makes one."""
    every = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    files = [path for path in every if " = PromptTemplate(" in path.read_text()]
    modules = [import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in files]
    return [held for module in modules for held in vars(module).values() if isinstance(held, PromptTemplate)]


def test_no_word_changes_without_a_new_version() -> None:
    judges = {f"judging-{evaluation.VERSION}": digest([evaluation.ENGLISH, evaluation.CHINESE])}
    today = {prompt.version: digest(prompt.texts) for prompt in prompts()} | judges
    assert {name: DIGESTS.get(name) for name in today} == today, "raise the version, and add its digest"


def test_each_prompt_has_a_version_of_its_own_and_both_languages() -> None:
    versions = [prompt.version for prompt in prompts()]
    assert len(versions) == len(set(versions))
    assert {prompt.version: sorted(prompt.texts) for prompt in prompts()} == {
        version: ["en", "zh"] for version in versions
    }
