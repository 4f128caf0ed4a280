"""Tests that share processes run one after another: a group's tests go to one worker of pytest-xdist."""

import os

import pytest

pytestmark = pytest.mark.xdist_group("told apart")


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="without workers all tests run one after another")
def test_groups_are_told_to_the_workers(request: pytest.FixtureRequest) -> None:
    assert request.node.nodeid.endswith("@told apart"), "this pytest-xdist does not group with this pytest"
