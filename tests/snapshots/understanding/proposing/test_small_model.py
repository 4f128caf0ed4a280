"""A real small model behind a grammar: what it writes is valid, and what it makes up is refused. Rows: E1, L1, P9.

``make test-models`` installs its packages; without them the tests are skipped.
"""

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.providers.chat import Chat, Connection
from memory_platform.providers.contracts import JsonForm
from memory_platform.providers.registry import forget_providers
from profiles.models import Candidate, Preference, ProfileFact, Tag
from snapshots.models import Note
from snapshots.understanding.proposing.model_tryout import SAMPLE, count_gate_outcomes, propose_for_samples
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.small_model import missing, small_model
from tests.snapshots.understanding.making import say, settle

pytestmark = [
    pytest.mark.models,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(missing()), reason=f"{', '.join(missing())} missing: make test-models"),
]
SECONDS = 180.0
SAID = "I work as a midwife in Ghent and swim every Friday."
ENGLISH, CHINESE = SAMPLE[0], SAMPLE[4]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with small_model() as running:
        yield running


@pytest.fixture
def model(url: str) -> Chat:
    return Chat(Connection(ChatEndpoint(kind="openai", model="smollm2", base_url=url)), seconds=SECONDS)


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_a_grammar_makes_every_answer_valid_and_the_gate_lets_no_invention_through(model: Chat, text: str) -> None:
    proposals, usage = propose_for_samples(model, [text], JsonForm.SCHEMA)
    assert usage.requests == 1
    outcomes = count_gate_outcomes([text], proposals)
    assert outcomes.total() == len(proposals.notes) + len(proposals.slots)
    assert all(one.message == 1 for one in (*proposals.notes, *proposals.slots))
    invented = [
        *(one for one in proposals.notes if one.quote.lower() not in text.lower()),
        *(one for one in proposals.slots if str(one.value).lower() not in text.lower()),
    ]
    assert outcomes["accepted"] + outcomes["known"] <= outcomes.total() - len(invented)


def test_what_it_proposes_makes_nothing_vital_and_leaves_the_reader_as_it_is(
    world: World, url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_platform.providers.registry.CHAT.__class__.seconds", lambda *_: SECONDS)
    forget_providers()
    settings.CHAT_ENDPOINTS = {"small": ChatEndpoint(kind="openai", model="smollm2", base_url=url)}
    settings.CHAT_ROUTES = {"extract": "small"}
    say(world.acme, SAID)
    settle(world.acme)
    forget_providers()
    with tenant_tx(world.acme.tenant.id):
        rows = list(Note.objects.filter(subject_id=world.acme.subject.id).select_related("snapshot"))
        slots = [*ProfileFact.objects.all(), *Preference.objects.all()]
        tags = list(Tag.objects.all())
        candidates = list(Candidate.objects.filter(origin__startswith="propose-"))
    assert any("midwife" in row.snapshot.text for row in rows)
    assert {row.vital_class for row in rows} == {""}
    assert all(row.snapshot.confidence <= 0.8 for row in rows if row.reader_version.startswith("propose-"))
    assert {str(row.value) for row in slots if row.provenance == "confirmed_by_user"} <= {"midwife", "Ghent"}
    by_model = [str(row.value).lower() for row in slots if row.provenance == "analysis"]
    assert all(value.strip("[]'") in SAID.lower() for value in by_model)
    assert tags == []
    assert {row.verdict for row in candidates} <= {"rejected", "stored", "unchanged", "merged"}
