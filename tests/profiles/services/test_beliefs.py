"""Values on two clocks, compared with a naive memory of everything that was ever said. Rows: P4, P5."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_platform.kernel.clock import utc_now
from profiles.config import BELIEFS
from profiles.models import Candidate, Preference, Subject
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.selectors import current_preference, preference_history, preferences_at
from profiles.services.beliefs import retract_belief
from profiles.services.preferences import build_preference_place, record_preference, retract_preference
from profiles.services.value_claims import Claim, have_same_value, make_learned_claim, make_stated_claim
from tenants.isolation import tenant_tx
from tests.conftest import World

START = datetime(2024, 1, 1, tzinfo=UTC)
LIVE = datetime(2025, 1, 1, tzinfo=UTC)
FOOD = ("food", "favourite_dish")
HELD_AS = {"面条": Provenance.CONFIRMED_BY_USER, "figs": Provenance.ANALYSIS, "dal": Provenance.OBSERVATION}


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def make_claim(value: object, on: int | None = None, provenance: Provenance = Provenance.CONFIRMED_BY_USER) -> Claim:
    return Claim(value, provenance, BELIEFS.ceiling(provenance), None if on is None else day(on))


def timeline(subject: Subject) -> list[tuple[object, int, int | None]]:
    """Values as known now: (value, first day, day after the last), those that held for no time left out."""
    rows = preference_history(subject, *FOOD).order_by("valid_at", "recorded_at")
    return [
        (row.value, (row.valid_at - START).days, (row.invalid_at - START).days if row.invalid_at else None)
        for row in rows
        if row.invalid_at != row.valid_at
    ]


def test_a_value_said_later_supersedes_and_the_old_one_keeps_its_id(ada: Subject) -> None:
    first = record_preference(ada, *FOOD, make_claim("面条", 1))
    second = record_preference(ada, *FOOD, make_claim("饺子", 5))
    assert (first.verdict, second.verdict) == (Verdict.STORED, Verdict.SUPERSEDED)
    assert first.row is not None and second.row is not None
    old = Preference.objects.get(id=first.row.id)
    assert (old.invalid_at, old.superseded_by_id) == (day(5), second.row.id)
    assert current_preference(ada, *FOOD).id == second.row.id


def test_a_value_said_earlier_enters_history_only(ada: Subject) -> None:
    record_preference(ada, *FOOD, make_claim("dal", 5))
    outcome = record_preference(ada, *FOOD, make_claim("figs", 1))
    assert (outcome.verdict, outcome.reason) == (Verdict.UNCHANGED, "older")
    assert outcome.current is not None and outcome.current.value == "dal"
    assert timeline(ada) == [("figs", 1, 5), ("dal", 5, None)]


def test_of_two_values_said_at_once_the_one_processed_later_holds(ada: Subject) -> None:
    record_preference(ada, *FOOD, make_claim("dal", 5))
    assert record_preference(ada, *FOOD, make_claim("figs", 5)).verdict == Verdict.SUPERSEDED
    assert timeline(ada) == [("figs", 5, None)]


def test_a_value_said_again_outlives_another_that_was_said_before_that(ada: Subject) -> None:
    kept = record_preference(ada, *FOOD, make_claim("dal", 1)).row
    record_preference(ada, *FOOD, make_claim("dal", 7))
    late = record_preference(ada, *FOOD, make_claim("figs", 3))
    assert (late.verdict, late.reason) == (Verdict.UNCHANGED, "older")
    assert timeline(ada) == [("dal", 1, 3), ("figs", 3, 7), ("dal", 7, None)]
    assert kept is not None and current_preference(ada, *FOOD).id == kept.id


def test_the_same_value_again_is_unchanged_and_validated_anew(ada: Subject) -> None:
    first = record_preference(ada, *FOOD, make_claim("dal"), now=day(1)).row
    again = record_preference(ada, *FOOD, make_claim("dal"), now=day(40))
    assert first is not None and again.row is not None
    assert (again.verdict, again.reason, again.row.id) == (Verdict.UNCHANGED, "", first.id)
    assert Preference.objects.get(id=first.id).last_validated_at == day(40)
    assert Preference.objects.filter(subject=ada).count() == 1


def test_a_stronger_saying_of_the_same_value_is_taken_over_and_a_weaker_one_is_not(ada: Subject) -> None:
    record_preference(ada, *FOOD, make_claim("dal", 1, Provenance.OBSERVATION))
    record_preference(ada, *FOOD, make_claim("dal", 2))
    record_preference(ada, *FOOD, make_claim("dal", 3, Provenance.OBSERVATION))
    held = current_preference(ada, *FOOD)
    assert (held.provenance, held.confidence) == (Provenance.CONFIRMED_BY_USER, 1.0)


def test_a_weaker_provenance_becomes_a_candidate_once(ada: Subject) -> None:
    record_preference(ada, *FOOD, make_claim("dal", 1))
    for _ in range(2):
        outcome = record_preference(ada, *FOOD, make_claim("figs", 5, Provenance.OBSERVATION))
        assert (outcome.verdict, outcome.reason, outcome.row) == (Verdict.REJECTED, "weaker_than_current", None)
    candidate = Candidate.objects.get(subject=ada)
    assert (candidate.target, candidate.value, candidate.verdict) == ("food/favourite_dish", "figs", "rejected")
    assert timeline(ada) == [("dal", 1, None)]


def test_a_weaker_value_does_not_take_days_from_a_stronger_one_in_the_past_either(ada: Subject) -> None:
    record_preference(ada, *FOOD, make_claim("dal", 1))
    record_preference(ada, *FOOD, make_claim("figs", 9))
    assert record_preference(ada, *FOOD, make_claim("rice", 5, Provenance.OBSERVATION)).verdict == Verdict.REJECTED
    assert timeline(ada) == [("dal", 1, 9), ("figs", 9, None)]


def test_after_a_retraction_what_was_said_before_it_stays_history(ada: Subject) -> None:
    record_preference(ada, *FOOD, make_claim("dal", 1))
    retract_preference(ada, *FOOD, at=day(9))
    assert record_preference(ada, *FOOD, make_claim("figs", 5)).reason == "older"
    assert timeline(ada) == [("dal", 1, 5), ("figs", 5, 9)]
    assert record_preference(ada, *FOOD, make_claim("rice", 12)).verdict == Verdict.STORED


def test_the_products_own_word_brings_back_what_was_retracted(ada: Subject) -> None:
    record_preference(ada, *FOOD, make_claim("dal", 1))
    retract_preference(ada, *FOOD, at=day(9))
    outcome = record_preference(ada, *FOOD, make_stated_claim("figs", valid_at=day(5)))
    assert outcome.verdict == Verdict.STORED
    assert timeline(ada) == [("dal", 1, 9), ("figs", 9, None)]


def test_a_clock_that_runs_ahead_does_not_make_a_value_that_cannot_be_replaced(ada: Subject) -> None:
    record_preference(
        ada, *FOOD, make_learned_claim("dal", provenance=Provenance.ANALYSIS, confidence=0.9, said_at=day(9999))
    )
    held = current_preference(ada, *FOOD)
    assert held.valid_at <= utc_now() and held.confidence == 0.8
    assert record_preference(ada, *FOOD, make_claim("figs")).verdict == Verdict.SUPERSEDED


def test_a_slow_clock_does_not_hide_the_change_before_it(ada: Subject) -> None:
    record_preference(ada, *FOOD, make_claim("dal"), now=day(50))
    second = record_preference(ada, *FOOD, make_claim("figs"), now=day(40))
    assert second.row is not None and second.row.recorded_at == day(50)
    assert current_preference(ada, *FOOD).value == "figs"


def test_only_the_newest_sayings_are_kept_and_the_first(ada: Subject) -> None:
    for number in range(BELIEFS.sayings_kept + 10):
        record_preference(ada, *FOOD, make_claim("dal", number))
    times = current_preference(ada, *FOOD).said_times
    assert len(times) == BELIEFS.sayings_kept
    assert (times[0], times[-1]) == (day(0), day(BELIEFS.sayings_kept + 9))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        ("辣", "辣", True),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True),
        (["a", "b"], ["b", "a"], False),
        ("25", 25, False),
    ],
)
def test_json_values_are_compared_by_what_they_say(one: object, other: object, same: bool) -> None:
    assert have_same_value(one, other) is same


@dataclass
class Naive:
    """Remembers every accepted saying; the value at a moment is the last one said until then."""

    events: list[tuple[int, int, str | None]] = field(default_factory=list)

    def value_at(self, on: float) -> str | None:
        until = [event for event in self.events if event[0] <= on]
        return max(until)[2] if until else None

    def say(self, value: str, on: int, recorded: int) -> None:
        held = self.value_at(on)
        if held is None or held == value or HELD_AS[value].strength >= HELD_AS[held].strength:
            self.events.append((on, recorded, value))

    def retract(self, on: int, recorded: int) -> None:
        if self.events and max(self.events)[2] is not None and on >= max(self.events)[0]:
            self.events.append((on, recorded, None))

    def answers(self, days: Iterable[int]) -> list[str | None]:
        return [self.value_at(on + 0.5) for on in days]


MOVES = st.lists(st.tuples(st.sampled_from([*HELD_AS, None]), st.integers(0, 10)), min_size=1, max_size=9)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=MOVES)
def test_both_clocks_answer_like_a_memory_of_everything_said(world: World, moves: list[tuple[str | None, int]]) -> None:
    naive, key, expected = Naive(), uuid4().hex, []
    days = sorted({-1, 11}.union(*({on - 1, on} for _, on in moves)))  # what is true changes on no other day
    with tenant_tx(world.acme.tenant.id):
        subject = world.acme.subject
        for number, (value, on) in enumerate(moves):
            recorded = LIVE + timedelta(minutes=number)
            if value is not None:
                record_preference(subject, "food", key, make_claim(value, on, HELD_AS[value]), now=recorded)
                naive.say(value, on, number)
            elif naive.value_at(99) is not None:
                retract_quietly(subject, key, on, recorded)
                naive.retract(on, number)
            expected.append((recorded, naive.answers(days)))
        for recorded, answers in expected:
            assert [value_held(subject, key, on, recorded) for on in days] == answers
        assert [value_held(subject, key, on, None) for on in days] == naive.answers(days)
        assert [row.value for row in preferences_at(subject).filter(key=key)] == present(naive)


def retract_quietly(subject: Subject, key: str, on: int, recorded: datetime) -> None:
    """Retract as of a day; nothing happens when the value was said again after it."""
    retract_belief(build_preference_place(subject, "food", key), at=day(on), now=recorded)


def value_held(subject: Subject, key: str, on: int, known_at: datetime | None) -> object:
    noon = day(on) + timedelta(hours=12)
    found = preferences_at(subject, as_of=noon, known_at=known_at).filter(key=key)
    values = [row.value for row in found]
    assert len(values) <= 1
    return values[0] if values else None


def present(naive: Naive) -> list[str]:
    value = naive.value_at(99)
    return [] if value is None else [value]
