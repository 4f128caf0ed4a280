"""A list says what it counts, and offers its filters while one of them hides rows by itself. Rows: D2, T3."""

import re

from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.held import label, prefer


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


def test_a_column_that_is_empty_in_every_row_is_left_out_and_the_order_stays(world: World, staff: Staff) -> None:
    for name, address in (("office", "9 Low Road"), ("home", "1 High Road")):
        label(world.acme, name, address=address)
    tags = f"/console/profiles/tag/?subject={world.acme.subject.pk}"
    page = staff.sam.get(tags).content.decode()
    assert "column-address" in page and "column-phone" not in page and "column-relation" not in page
    assert re.search(r'href="\?o=1\.-7&amp;[^"]+">Label', page), "the time of the change is the seventh of all columns"
    for order, mark in (("1.-7", "ascending"), ("-1.-7", "descending")):
        ordered = staff.sam.get(tags, {"o": order}).content.decode()
        assert re.search(rf'class="sortable column-label sorted {mark}"', ordered)
        places = [ordered.index(one, ordered.index("<tbody>")) for one in ("1 High Road", "9 Low Road")]
        assert (places == sorted(places)) is (mark == "ascending")
    label(world.acme, "Ruth", kind="contact", phone="+436601234567")
    assert "column-phone" in staff.sam.get(tags).content.decode()


def test_the_button_of_the_filters_counts_those_that_are_set(world: World, staff: Staff) -> None:
    prefer(world.acme, "navigation", "route", "left")
    assert "Filters (0)" in staff.sam.get("/console/profiles/preference/").content.decode()
    chosen = f"/console/profiles/preference/?subject={world.acme.subject.pk}&standing=all"
    assert "Filters (2)" in staff.sam.get(chosen).content.decode()
