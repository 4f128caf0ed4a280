"""What the measurement of corrections says is what the rules read, and its values are all different. Rows: G4."""

import pytest

from lab.benchmarks.correction_latency import ENTRIES, KEYS, TONGUES, CorrectionTimings, Tongue, fill_beliefs
from profiles.models import Preference
from snapshots.understanding.believing.candidate_extraction import extract_candidates
from snapshots.understanding.values import CurrentValue, ExtractionContext
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.understanding.utterances import utter


@pytest.mark.parametrize("tongue", TONGUES)
def test_no_two_values_are_the_same(tongue: Tongue) -> None:
    held = {tongue.make_held_value(number, entry) for number in range(KEYS) for entry in range(ENTRIES)}
    right = {tongue.make_correct_value(turn) for turn in range(KEYS)}
    assert (len(held), len(right), held & right) == (KEYS * ENTRIES, KEYS, set())


@pytest.mark.parametrize("tongue", TONGUES)
def test_each_correction_is_read_and_no_ordinary_message_is_one(tongue: Tongue) -> None:
    for turn in range(KEYS):
        old, new = tongue.make_held_value(turn, turn % ENTRIES), tongue.make_correct_value(turn)
        held = tuple(CurrentValue("likes", tongue.make_held_value(turn, entry)) for entry in range(ENTRIES))
        context = ExtractionContext(current_values=held)
        found = extract_candidates(utter(tongue.correction.format(old=old, new=new)), context=context).corrections
        assert [change.replaces or change.value_texts[0] for change in found] == [old]
    assert not extract_candidates(utter(tongue.ordinary), context=ExtractionContext()).corrections


def test_subjects_hold_what_is_corrected(world: World) -> None:
    counted: list[int] = []
    names = fill_beliefs(world.acme.tenant.id, 2, advance=counted.append)
    assert sum(counted) == 2
    for name, tongue in names:
        with tenant_tx(world.acme.tenant.id):
            held = Preference.objects.filter(subject__external_id=name)
            assert held.count() == KEYS
            assert tongue.make_held_value(0, 0) in held.get(key="things_0").value


def test_a_run_is_told_in_multiples_of_an_ordinary_message() -> None:
    seen = CorrectionTimings([10.0] * 20, [20.0] * 20, in_request=20, in_next_answer=19)
    assert list(seen.lines()) == [
        "ordinary message: p50 10.0 ms, p95 10.0 ms, most 10 ms; 1.0 and 1.0 x the ordinary p50",
        "correction: p50 20.0 ms, p95 20.0 ms, most 20 ms; 2.0 and 2.0 x the ordinary p50",
        "applied before the answer: 20 of 20, held by the next: 19",
    ]
