"""A list says what it counts, and offers its filters while one of them hides rows by itself. Rows: D2, T3."""

from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.held import prefer


def read_foot(page: str) -> str:
    return " ".join(page.partition('class="paginator">')[2].partition("</p>")[0].split())


def test_the_foot_of_a_list_names_what_it_counts(world: World, staff: Staff) -> None:
    assert read_foot(staff.sam.get("/console/profiles/subject/").content.decode()) == "1 person"
    for key in ("route", "seat"):
        prefer(world.acme, "navigation", key, "left")
    page = staff.sam.get("/console/profiles/preference/").content.decode()
    assert read_foot(page) == "2 preferences"
    assert "(Show all)" not in page, "nothing is left out"
    assert ">By " not in page


def test_an_empty_list_keeps_a_filter_that_hides_rows_by_itself(staff: Staff) -> None:
    proposals = staff.sam.get("/console/profiles/candidate/").content.decode()
    assert "Nothing waits for a decision." in proposals
    assert 'aria-label="Verdict"' in proposals
    assert 'id="changelist-filter"' not in staff.sam.get("/console/snapshots/episode/").content.decode()
