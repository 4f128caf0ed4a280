"""What an order to forget means: the thing that it names, else the turns that it points at. Rows: A4, T1."""

from profiles.models import Preference
from snapshots.forgetting.order_meaning import find_named_memories, list_possible_turns, only_refuses_to_answer
from snapshots.models import SnapshotKind
from snapshots.understanding.heard.forget_orders import find_forget_orders
from snapshots.understanding.heard.forget_targets import ForgetTarget
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.forgetting.talk import CAT, ORDER, SECRET, answer, find_targets, start_talk, tell
from tests.snapshots.held import prefer, remember


def test_an_order_that_points_means_the_turn_before_and_its_answer(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, [_, secret] = start_talk(world.acme.subject, CAT, SECRET)
        noted = answer(talk, "Brightwater, noted.")
        found = find_targets(world.acme.subject, tell(talk, ORDER))
    assert found.messages.keys() == {secret.id, noted.id}


def test_an_order_that_names_a_turn_leaves_the_nearer_one(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, [cat, secret] = start_talk(world.acme.subject, CAT, SECRET)
        order = tell(talk, "Forget about my cat.")
        found = find_targets(world.acme.subject, order)
    assert cat.id in found.messages
    assert secret.id not in found.messages


def test_an_order_and_the_name_behind_it_take_back_one_clause(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, _ = start_talk(world.acme.subject, "Not in a pub, I don't drink, four years in March.")
        order = tell(
            talk, "He went into rehab in spring. No, forget that bit, what I said about rehab, it's not mine to tell."
        )
        assert len(find_forget_orders(order.content)) == 1
        found = find_targets(world.acme.subject, order)
    assert {key: {order.content[start:end] for start, end in cut} for key, cut in found.messages.items()} == {
        order.id: {"He went into rehab in spring"}
    }


def test_an_order_for_everything_means_nothing_here(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, _ = start_talk(world.acme.subject, SECRET)
        assert not find_targets(world.acme.subject, tell(talk, "Forget everything you know about me."))


def test_a_named_thing_is_found_in_slots_notes_and_words(world: World) -> None:
    prefer(world.acme, "food", "diet", "vegan")
    prefer(world.acme, "music", "genre", "jazz")
    [note] = remember(world.acme, "My diet is vegan.", kind=SnapshotKind.MANUAL)
    with tenant_tx(world.acme.tenant.id):
        _, [said] = start_talk(world.acme.subject, "I like jazz. My diet is vegan.")
        found = find_named_memories(world.acme.subject, ForgetTarget.build("diet"), [(said, said.content)])
        assert [row.key for row in found.beliefs if isinstance(row, Preference)] == ["diet"]
    assert found.notes == {note: ""}
    cut = {said.content[start:end] for start, end in found.messages[said.id]}
    assert {words.strip(" .") for words in cut} == {"My diet is vegan"}
    with tenant_tx(world.globex.tenant.id):
        assert not find_named_memories(world.globex.subject, ForgetTarget.build("diet"), [])


def test_a_bare_order_takes_back_only_turns_that_told_something(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, [secret, thanks] = start_talk(world.acme.subject, SECRET, "Thanks!")
        order = tell(talk, "Forget that.")
        [heard] = find_forget_orders(order.content)
        assert list_possible_turns(order, heard, [thanks, secret], points_only=True) == []
        assert list_possible_turns(order, heard, [secret], points_only=True) == [secret]


def test_a_refusal_to_answer_is_no_order(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, _ = start_talk(world.acme.subject, CAT)
        asked = answer(talk, "How old are you?")
        refusal = tell(talk, "That's private.")
        [heard] = find_forget_orders(refusal.content)
        assert only_refuses_to_answer(refusal, heard, [asked])
        assert not only_refuses_to_answer(refusal, heard, [])
        order = tell(talk, "Don't save that in your memory.")
        [strict] = find_forget_orders(order.content)
        assert not only_refuses_to_answer(order, strict, [asked])
