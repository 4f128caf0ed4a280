"""A filter narrows what a context brings for its turn, and why it brings nothing is told. Rows: R6, X1, X12, C7."""

from datetime import timedelta
from typing import Any

import pytest

from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import AssembledContext, BudgetRequest, ContextRequest, DecisionReason, SectionName
from snapshots.models import MessageRole, Note, Snapshot
from snapshots.recall.filtering.filter_grammar import FilterNode, parse_filter
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import prefer
from tests.snapshots.held import say as post
from tests.snapshots.understanding.making import MONDAY, say, settle

LIVES = {
    "en": ("I am allergic to peanuts", "roses and tomatoes", "I usually run in Hollow Park before work",
           "Hollow Park is shut, I run along the canal now", "Do I run before work, and where are my roses?"),
    "zh": ("我对花生过敏", "月季和番茄", "早上打太极,六点半,在浣花溪",
           "太极挪地方了,浣花溪在修路,现在去百花潭", "早上到哪里打太极,月季种在哪里"),
}  # fmt: skip
NOTHING = parse_filter({"topics": {"eq": "no such topic"}})
EARLY = parse_filter({"said_at": {"lt": (MONDAY + timedelta(days=1)).isoformat()}})


@pytest.fixture(autouse=True)
def _with_the_sentence_encoder(settings: Any) -> None:
    settings.EMBEDDER = "wordllama,use"


def live(house: House, language: str) -> str:
    """Have a life told; return what is asked about it."""
    vital, garden, old, new, question = LIVES[language]
    say(house, vital, old)
    say(house, new, at=MONDAY + timedelta(days=3), conversation="c2")
    settle(house)
    prefer(house, "hobby", "garden", garden)
    return question


def ask(house: House, query: str, total: int, narrowed: FilterNode | None = None) -> AssembledContext:
    request = ContextRequest(query, budget=BudgetRequest(total=total), at=MONDAY + timedelta(days=4))
    return build_context(house.tenant.id, house.subject.external_id, ContextCall(request, "3", filter=narrowed)).context


def kept_in(context: AssembledContext, section: SectionName) -> list[str]:
    return [one.id for one in context.decisions if one.reason is DecisionReason.KEPT and one.section is section]


@pytest.mark.parametrize("language", LIVES)
@pytest.mark.parametrize("total", [500, 2_000])
def test_a_filter_that_nothing_matches_leaves_the_vital_prefix_alone(world: World, language: str, total: int) -> None:
    question = live(world.acme, language)
    free, narrow = (ask(world.acme, question, total, one) for one in (None, NOTHING))
    assert kept_in(free, SectionName.MEMORY)
    assert free.abstained is None
    assert (kept_in(narrow, SectionName.MEMORY), narrow.abstained) == ([], "nothing_relevant")
    with tenant_tx(world.acme.tenant.id):
        vital = str(Note.objects.exclude(vital_class="").get().snapshot_id)
    assert vital in kept_in(narrow, SectionName.PROFILE)


@pytest.mark.parametrize("language", LIVES)
def test_a_filter_keeps_what_is_newer_out_where_that_does_not_match(world: World, language: str) -> None:
    house, question = world.acme, live(world.acme, language)
    with tenant_tx(house.tenant.id):
        late = {str(one.id) for one in Snapshot.objects.filter(said_at__gt=MONDAY + timedelta(days=1))}
    free, narrow = (kept_in(ask(house, question, 2_000, one), SectionName.MEMORY) for one in (None, EARLY))
    assert late & set(free)
    assert not late & set(narrow)


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("I recommend the trail along Miller Creek, 12 km.", "What is the capital of France?"),
        ("我推荐你去走米勒溪步道，全长12公里。", "法国的首都是哪里？"),
    ],
)
def test_who_is_known_by_replies_alone_is_not_unremembered(world: World, said: str, query: str) -> None:
    assert ask(world.acme, query, 2_000).abstained == "nothing_remembered"
    post(world.acme, said, role=MessageRole.ASSISTANT)
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert set(Snapshot.objects.values_list("kind", flat=True)) == {"reply"}
    assert ask(world.acme, query, 2_000).abstained == "nothing_relevant"
