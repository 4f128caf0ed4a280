"""What forgetting would take along is what it takes. Rows: E8, T7, D2."""

from profiles.models import Preference
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.extent import ErasureExtent, measure_extent
from snapshots.erasure.memories import forget_memory
from snapshots.models import Message, PreferenceSource, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.snapshots.held import prefer, remember, say
from tests.snapshots.notes.world import address_of, note

SISTER = "My sister Kestrel4711 lives in Utrecht"


def test_the_extent_of_a_note_is_what_goes_with_it(world: World) -> None:
    house = world.acme
    said, after = say(house, f"{SISTER}. 我对花生过敏", "She likes it")
    (statement,) = remember(house, f"{SISTER}. 我对花生过敏", messages=[said])
    sister = note(house, SISTER, [said], statement_id=statement, span_start=0, span_end=len(SISTER))
    note(house, "我对花生过敏", [said], statement_id=statement, vital_class="allergy")
    note(house, "She likes it", [after])
    with tenant_tx(house.tenant.id):
        extent = measure_extent(Snapshot.objects.get(id=sister))
        before = Snapshot.objects.exclude(kind="conversation").count()
    forget_memory(house.tenant.id, address_of(house, sister), active_embedders(), by=COMMAND_LINE)
    with tenant_tx(house.tenant.id):
        gone = before - Snapshot.objects.exclude(kind="conversation").count()
        blank = Message.objects.filter(content="").count()
    assert extent == ErasureExtent(values=gone, messages=blank, answers=0)
    assert (gone, blank) == (3, 1)


def test_a_preference_counts_its_past_values_and_the_messages_that_stay(world: World) -> None:
    house = world.acme
    (said,) = say(house, "我爱喝茶 I love tea")
    for value in ("coffee", "tea"):
        prefer(house, "drinks", "favourite", value)
    with tenant_tx(house.tenant.id):
        rows = list(Preference.objects.all())
        for row in rows:
            PreferenceSource.objects.create(subject=house.subject, memory_id=row.id, message_id=said.id)
        assert measure_extent(rows[0]) == ErasureExtent(values=len(rows), messages=1, answers=0)
    assert len(rows) > 1
