"""What forgetting would take along is what it takes. Rows: E8, T7, D2."""

from profiles.models import Preference
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.extent import measure_extent
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
    vital = note(house, "我对花生过敏", [said], statement_id=statement, vital_class="allergy")
    note(house, "She likes it", [after])
    prefer(house, "nuts", "peanuts", "avoid")
    prefer(house, "people", "sister", "Kestrel4711")
    with tenant_tx(house.tenant.id):
        learned, kept = Preference.objects.get(category="nuts"), Preference.objects.get(category="people")
        for row, message in ((learned, said), (kept, said), (kept, after)):
            PreferenceSource.objects.create(subject=house.subject, memory_id=row.id, message_id=message.id)
    with tenant_tx(house.tenant.id):
        extent = measure_extent(Snapshot.objects.get(id=sister))
        before = Snapshot.objects.exclude(kind="conversation").count()
    forget_memory(house.tenant.id, address_of(house, sister), active_embedders(), by=COMMAND_LINE)
    with tenant_tx(house.tenant.id):
        gone = before - Snapshot.objects.exclude(kind="conversation").count()
        blank = Message.objects.filter(content="").count()
        left = set(Preference.objects.values_list("id", flat=True))
    assert (len(extent.snapshots), extent.messages, extent.answers) == (gone, blank, 0)
    assert (gone, blank) == (3, 1)
    assert [row.id for row in extent.snapshots][:2] == [vital, sister]
    assert extent.vital == {vital: "allergy"}
    assert [row.id for row in extent.beliefs] == [learned.id]
    assert left == {kept.id}


def test_a_preference_tells_its_past_values_and_what_stays_and_says_it(world: World) -> None:
    house = world.acme
    said, other = say(house, "我爱喝茶 I love tea", "The teapot is blue")
    made = note(house, "我爱喝茶", [said])
    contains = note(house, "The teapot is blue", [other])
    note(house, "The kettle is red", [other])
    for value in ("coffee", "tea"):
        prefer(house, "drinks", "favourite", value)
    with tenant_tx(house.tenant.id):
        rows = list(Preference.objects.all())
        for row in rows:
            PreferenceSource.objects.create(subject=house.subject, memory_id=row.id, message_id=said.id)
        extent = measure_extent(rows[0])
    assert len(rows) > 1
    assert {row.value for row in extent.beliefs if isinstance(row, Preference)} == {"coffee", "tea"}
    assert (extent.messages, extent.answers) == (1, 0)
    assert {row.id for row in extent.staying} == {made, contains}
    assert extent.staying_count == len(extent.staying)
