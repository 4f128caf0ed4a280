"""docs/contexts/context-example.md and both READMEs print today's contexts; `make printed-contexts` prints them anew.

Rows: X1, X4, G1.
"""

import os

import pytest
from pytest_django.fixtures import Settings

from memory_platform.env.environment import Environment
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.api.v1.recall.printed_contexts import (
    PAGE,
    comparable,
    print_context,
    read_block,
    write_block,
)
from tests.memory_platform.api.v1.recall.readme_contexts import PICTURES, ROOT, ReadmePicture, print_picture

REPAIR = "make printed-contexts"


@pytest.fixture(autouse=True)
def product_embedder(settings: Settings) -> None:
    """Use the product's own models, which tests do without."""
    settings.EMBEDDER = Environment.model_fields["embedder"].default


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_prints_what_the_code_makes(acme: Caller, world: World, language: str) -> None:
    made = print_context(world.acme, acme, language)
    is_same = comparable(read_block(PAGE, language)) == comparable(made)
    if os.environ.get("PRINT_CONTEXTS") and not is_same:  # new ids alone are no reason to change the page
        write_block(PAGE, language, made)
    assert comparable(read_block(PAGE, language)) == comparable(made), REPAIR


@pytest.mark.slow
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.page)
def test_a_readme_prints_what_the_code_makes(acme: Caller, world: World, picture: ReadmePicture) -> None:
    made = print_picture(picture, world.acme, acme)
    for mark, block in made.items():
        if os.environ.get("PRINT_CONTEXTS"):
            write_block(ROOT / picture.page, mark, block)
        assert read_block(ROOT / picture.page, mark) == block, REPAIR
