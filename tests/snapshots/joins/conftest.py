"""An anonymous visitor and who they are once they log in."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import SubjectJoin
from profiles.services.subjects import ensure_subject
from snapshots.joins.join import join_subjects
from snapshots.joins.undo_join import undo_join
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.held import know, label, prefer, remember, say

MARCH, APRIL = (datetime(2026, month, 1, 12, tzinfo=UTC) for month in (3, 4))


@dataclass(frozen=True, slots=True)
class Visit:
    """Ada, and the visitor that she was before she logged in."""

    ada: House
    visitor: House

    def join(self, **how: Any) -> SubjectJoin:
        ids = (self.ada.subject.id, self.visitor.subject.id)
        return join_subjects(self.ada.tenant.id, *ids, by=COMMAND_LINE, reason="logged in", **how)

    def undo(self, join: SubjectJoin) -> SubjectJoin:
        return undo_join(self.ada.tenant.id, join.id, by=COMMAND_LINE, reason="a mistake")


@pytest.fixture
def visit(world: World) -> Visit:
    with tenant_tx(world.acme.tenant.id):
        visitor = ensure_subject("visitor-7")
    return Visit(world.acme, replace(world.acme, subject=visitor))


def texts_recalled(house: House, name: str, question: str) -> list[str]:
    answer = recall(house.tenant.id, name, RecallQuery(question, utc_now()))
    return [memory.text for memory in answer.memories]


def make_visit_full(visit: Visit) -> None:
    """Give both a life: values that differ, values that one has, a place and a conversation of one name."""
    for house, seat, said_at in ((visit.ada, "aisle", MARCH), (visit.visitor, "window", APRIL)):
        prefer(house, "travel", "seat", seat, valid_at=said_at)
        say(house, f"My seat is by the {seat}", conversation="trip")
        remember(house, f"They like the {seat} seat")
        label(house, "home", address=f"{seat} road")
    prefer(visit.ada, "music", "genre", "jazz", valid_at=APRIL)
    prefer(visit.visitor, "music", "genre", "rock", valid_at=MARCH)
    prefer(visit.visitor, "food", "dish", "noodles")
    know(visit.visitor, name="Ada")
