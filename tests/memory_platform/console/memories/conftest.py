"""Notes of Ada, as the console shows them."""

from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Tag
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, retire_memory
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House
from tests.memory_platform.console.memories.notes import HOSTILE, NoteIds
from tests.snapshots.held import say
from tests.snapshots.notes.world import ALLERGY, note


@pytest.fixture
def note_ids(acme: House) -> NoteIds:
    _greeting, said = say(acme, "Anything else? 还有吗", f"Hi {HOSTILE}. {ALLERGY}.")
    start = said.content.index(ALLERGY)
    with tenant_tx(acme.tenant.id):
        lin = Tag.objects.create(subject=acme.subject, label="琳 Lin", kind="contact")
    found = NoteIds(
        allergy=note(
            acme,
            ALLERGY,
            [said],
            vital_class="allergy",
            grade_probability=0.93,
            span_start=start,
            span_end=start + len(ALLERGY),
        ),
        tea=note(acme, "每天早上喝茶", grade="habit"),
        sister=note(
            acme,
            "My sister is a nurse",
            grade="about_other",
            about_kind="contact",
            about_tag_id=lin.id,
            relation="sister",
        ),
        moved=note(acme, "I live in Boston", grade="fact"),
        wrong=note(acme, "I never drive at night", grade="limit"),
    )
    with tenant_tx(acme.tenant.id):
        Snapshot.objects.filter(id=found.moved).update(invalid_at=utc_now() - timedelta(minutes=1))
        wrong = Snapshot.objects.select_related("subject").get(id=found.wrong)
        retire_memory(wrong, ActContext(COMMAND_LINE, "tests"))
    return found
