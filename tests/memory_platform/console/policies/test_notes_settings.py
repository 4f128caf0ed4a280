"""What is vital, and what becomes of special categories, in the console's form. Rows: P9, D2, T4."""

import re
from html import unescape

from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.policies.test_policy_screen import ADD, fill_form, list_documents, save_form

CLASSES = ["allergy", "illness", "accessibility", "safety", "emergency", "legal"]


def test_the_form_shows_every_class_ticked_and_explains_what_is_chosen(world: World, staff: Staff) -> None:
    page = unescape(staff.mia.get(ADD).content.decode())
    for one in CLASSES:
        assert re.search(f'name="notes__vital_classes" value="{one}"[^>]* checked', page)
    for words in (
        "are in every prompt",
        "answer says so",
        "used in its conversation only",
        "illness or medicine",
    ):
        assert words in page


def test_some_classes_none_and_all_are_saved(world: World, staff: Staff) -> None:
    kept = {"notes__vital_classes": ["legal", "allergy"], "notes__special_categories": "context_only"}
    assert save_form(staff.mia, fill_form(world, **kept)).status_code == 302
    assert save_form(staff.mia, fill_form(world, notes__vital_classes=[])).status_code == 302
    assert save_form(staff.mia, fill_form(world, notes__special_categories="refuse")).status_code == 302
    assert [document for _, document in list_documents(world)[1:]] == [
        {"notes": {"vital_classes": ["allergy", "legal"], "special_categories": "context_only"}},
        {"notes": {"vital_classes": []}},
        {"notes": {"special_categories": "refuse"}},
    ]
