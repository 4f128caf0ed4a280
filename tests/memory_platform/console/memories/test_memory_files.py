"""Files of models in the console: on the person's page, read-only, deleted by support with a reason. Rows: D9."""

from snapshots.models import MemoryFile
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.forms import form_at

LIST = "/console/snapshots/memoryfile/"


def test_support_reads_and_deletes_a_file_and_nobody_changes_it(world: World, staff: Staff) -> None:
    ada = world.acme.subject
    with tenant_tx(world.acme.tenant.id):
        row = MemoryFile.objects.create(subject_id=ada.id, path="/memories/茶.md", text="<b>green</b> tea 绿茶")
    page = staff.sam.get(LIST).content.decode()
    assert "/memories/茶.md" in page
    one = f"{LIST}{row.pk}/"
    shown = staff.sam.get(f"{one}change/").content.decode()
    assert "绿茶" in shown
    assert "<b>green</b>" not in shown
    staff.sam.post(f"{one}change/", {"text": "changed", "path": "/memories/x"})
    assert staff.sam.post(f"{one}delete/", {"post": "yes"}).status_code == 302
    with tenant_tx(world.acme.tenant.id):
        assert MemoryFile.objects.get().text == row.text, "a deletion needs a reason"
    form = form_at(staff.sam, f"{one}delete/", holding="reason")
    assert staff.sam.post(f"{one}delete/", {**form, "reason": "asked 用户要求"}).status_code == 302
    with tenant_tx(world.acme.tenant.id):
        assert not MemoryFile.objects.exists()
        record = AuditRecord.objects.get(action="memory_file.deleted")
    assert record.reason == "asked 用户要求"
