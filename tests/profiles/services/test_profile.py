"""Fields and attributes change one by one, each with a verdict. Rows: P2, P4, P8."""

from datetime import timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import current_profile, profile_facts, profile_history
from profiles.services.profile import FactChange, FactName, Mode, patch_profile
from profiles.services.value_claims import make_learned_claim, make_stated_claim


def patch(subject: Subject, path: str, value: Any, mode: Mode = "overwrite") -> tuple[str, str]:
    [verdict] = patch_profile(subject, [FactChange(FactName.read(path), make_stated_claim(value), mode)])
    assert verdict.name.path == path
    return str(verdict.verdict.value), verdict.reason


def read_fact(subject: Subject, path: str) -> Any:
    name, profile = FactName.read(path), current_profile(subject)
    return profile["attributes"].get(name.field) if name.is_attribute else profile[name.field]


def test_a_field_is_stored_superseded_and_unchanged(ada: Subject) -> None:
    assert patch(ada, "occupation", "程序员") == ("stored", "")
    assert patch(ada, "occupation", "设计师") == ("superseded", "")
    assert patch(ada, "occupation", "设计师") == ("unchanged", "")
    assert read_fact(ada, "occupation") == "设计师"
    assert [fact.value for fact in profile_history(ada).order_by("valid_at")] == ["程序员", "设计师"]


def test_an_attribute_may_have_the_name_of_a_field(ada: Subject) -> None:
    patch(ada, "name", "Ada")
    patch(ada, "attributes.name", "the cat's")
    assert current_profile(ada)["name"] == "Ada"
    assert current_profile(ada)["attributes"] == {"name": "the cat's"}


@pytest.mark.parametrize(
    ("path", "before", "change", "verdict", "after"),
    [
        ("interests", ["hiking"], ("append", ["Hiking", "chess"]), ("merged", ""), ["hiking", "chess"]),
        ("interests", ["围棋"], ("append", "书法"), ("merged", ""), ["围棋", "书法"]),
        ("interests", None, ("append", "chess"), ("stored", ""), ["chess"]),
        ("interests", ["chess"], ("append", ["chess"]), ("unchanged", ""), ["chess"]),
        ("interests", ["chess", "go"], ("remove", ["Chess"]), ("merged", ""), ["go"]),
        ("interests", ["chess"], ("remove", ["chess"]), ("merged", ""), None),
        ("interests", ["chess"], ("remove", ["golf"]), ("unchanged", "absent"), ["chess"]),
        ("interests", ["chess"], ("merge", ["go"]), ("merged", ""), ["chess", "go"]),
        ("interests", ["chess"], ("overwrite", ["go"]), ("superseded", ""), ["go"]),
        ("name", "Ada", ("append", "Lovelace"), ("rejected", "not_a_list"), "Ada"),
        ("name", "Ada", ("merge", "Ada L."), ("superseded", ""), "Ada L."),
        ("attributes.pets", "猫", ("append", "狗"), ("merged", ""), ["猫", "狗"]),
        ("attributes.car", {"make": "NIO"}, ("merge", {"seats": 5}), ("merged", ""), {"make": "NIO", "seats": 5}),
        ("attributes.car", {"make": "NIO"}, ("append", "BYD"), ("rejected", "not_a_list"), {"make": "NIO"}),
        ("attributes.car", {"make": "NIO"}, ("overwrite", {"seats": 5}), ("superseded", ""), {"seats": 5}),
    ],
)
def test_each_mode_says_what_it_did(
    ada: Subject, path: str, before: Any, change: tuple[Mode, Any], verdict: tuple[str, str], after: Any
) -> None:
    mode, value = change
    if before is not None:
        patch(ada, path, before)
    assert patch(ada, path, value, mode) == verdict
    assert read_fact(ada, path) == after


def test_a_removed_field_is_gone_now_and_stays_in_history(ada: Subject) -> None:
    patch(ada, "occupation", "程序员")
    [removed, absent] = patch_profile(ada, [], remove=[FactName.read("occupation"), FactName.read("budget")])
    assert (removed.verdict, removed.reason) == ("superseded", "removed")
    assert (absent.verdict, absent.reason, absent.name.path) == ("unchanged", "absent", "attributes.budget")
    assert read_fact(ada, "occupation") is None
    assert [fact.value for fact in profile_history(ada)] == ["程序员"]


def test_an_entry_said_before_the_current_list_goes_into_it_too(ada: Subject) -> None:
    now = utc_now()
    for entry, ago in (("chess", 9), ("go", 2), ("围棋", 5)):
        claim = make_learned_claim(
            entry, provenance=Provenance.ANALYSIS, confidence=0.8, said_at=now - timedelta(days=ago)
        )
        patch_profile(ada, [FactChange(FactName("interests"), claim, "append")])
    assert read_fact(ada, "interests") == ["chess", "go", "围棋"]
    past = profile_facts(ada, as_of=now - timedelta(days=4))
    assert [fact.value for fact in past] == [["chess", "围棋"]]


def test_a_dropped_entry_does_not_come_back_by_what_was_said_before(ada: Subject) -> None:
    now = utc_now()
    patch(ada, "interests", ["chess", "go"])
    patch(ada, "interests", ["go"])
    claim = make_learned_claim(
        "chess", provenance=Provenance.CONFIRMED_BY_USER, confidence=0.9, said_at=now - timedelta(days=9)
    )
    [verdict] = patch_profile(ada, [FactChange(FactName("interests"), claim, "append")])
    assert (verdict.verdict, verdict.reason) == ("unchanged", "older")
    assert read_fact(ada, "interests") == ["go"]


def test_the_version_grows_only_when_something_changed(ada: Subject) -> None:
    patch(ada, "name", "Ada")
    version = ada.profile_version
    patch(ada, "name", "Ada")
    patch_profile(ada, [], remove=[FactName.read("mbti")])
    assert ada.profile_version == version
