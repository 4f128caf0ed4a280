"""A tenant from the command line, and what is said of one that cannot be. Rows: T1."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import World


def create(*arguments: str) -> str:
    said = StringIO()
    call_command("create_tenant", *arguments, stdout=said)
    return said.getvalue()


def test_a_tenant_is_made_under_its_slug(world: World) -> None:
    assert create("initech", "--name", "印尼科技").startswith("tenant initech (")


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("Bad Slug", "slug: Lower-case letters, digits and single hyphens"),
        ("acme", "acme is there already. Make a key of it with `manage.py create_key --tenant acme`, or choose"),
    ],
)
def test_a_refusal_names_what_is_wrong(world: World, slug: str, said: str) -> None:
    with pytest.raises(CommandError, match=f"No tenant was made: {said}"):
        create(slug)
