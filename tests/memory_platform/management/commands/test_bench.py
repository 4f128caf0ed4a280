"""``manage.py bench``: a small world is made once, and a second time nothing is."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from snapshots.models import Snapshot
from tenants.isolation import tenant_tx
from tenants.selectors import tenant_by_slug

SMALL = ("--snapshots=70", "--subjects=6", "--large=1x30", "--medium=1x20", "--small=2x5", "--pool=60")


def bench(*arguments: str) -> str:
    said = StringIO()
    call_command("bench", *arguments, stdout=said)
    return said.getvalue()


def test_a_world_is_made_once(database: None) -> None:
    assert "bench: 70 snapshots of 6 subjects; 6 are new." in bench("build", *SMALL)
    with tenant_tx(tenant_by_slug("bench").id):
        assert Snapshot.objects.filter(subject__external_id="bench-30-00001").count() == 30
    assert "; 0 are new." in bench("build", *SMALL)


def test_a_world_that_cannot_be_or_is_another_one_is_refused_in_one_sentence(database: None) -> None:
    with pytest.raises(CommandError, match="snapshots are fewer than those of the cohorts"):
        bench("build", "--snapshots=10")
    bench("build", *SMALL)
    with pytest.raises(CommandError, match="name another one with --tenant"):
        bench("build", *SMALL, "--seed=2")
    with pytest.raises(CommandError, match="'x' is no cohort such as 10x10000"):
        bench("build", "--large=x")
