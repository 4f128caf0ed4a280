"""LangGraph's own conformance suite, base and extended, at the platform over HTTP. Rows: C6, D8."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate

from memory_platform_client.langgraph import MemoryPlatformSaver
from tests.conftest import House

BASE = {"put": 17, "put_writes": 10, "get_tuple": 10, "list": 16, "delete_thread": 5}
EXTENDED = {"delete_for_runs": 7, "copy_thread": 8, "prune": 8}


@pytest.mark.slow
def test_every_capability_passes(address: str, acme: House) -> None:
    @checkpointer_test(name="MemoryPlatformSaver")
    async def platform_saver() -> AsyncIterator[MemoryPlatformSaver]:
        saver = MemoryPlatformSaver(address, acme.token)
        yield saver
        await saver.aclose()

    report = asyncio.run(validate(platform_saver))

    failures = {name: one.failures for name, one in report.results.items() if one.failures}
    assert failures == {}
    assert report.passed_all()
    assert {name: one.tests_passed for name, one in report.results.items()} == BASE | EXTENDED
