"""docs/context-example.md prints today's contexts; `make printed-contexts` prints them anew. Rows: X1, X4, G1."""

import os

import pytest
from pytest_django.fixtures import Settings

from memory_platform.env.environment import Environment
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.api.v1.recall.printed_contexts import comparable, on_the_page, print_context, put_on_the_page


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_prints_what_the_code_makes(acme: Caller, world: World, settings: Settings, language: str) -> None:
    settings.EMBEDDER = Environment.model_fields["embedder"].default  # the product's own models, which tests do without
    made = print_context(world.acme, acme, language)
    if os.environ.get("PRINT_CONTEXTS"):
        put_on_the_page(language, made)
    assert comparable(on_the_page(language)) == comparable(made), "make printed-contexts"
