"""Events beside the talks: staff change the policy and a memory, and a worker is lost."""

from collections.abc import Callable, Mapping
from uuid import UUID

from django.contrib.auth.models import User

from profiles.models import Tag
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import OutcomePart, ProductVerdict, Signal
from snapshots.lifecycle.staff_actions.belief_origins import find_origins, retire_origins
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, correct_tag
from snapshots.models import Receipt, ReceiptMemory, WorkKind
from snapshots.policies.policy_sections import SECTIONS
from snapshots.queue.draining.leases import abandon_items, claim_items, take_over_items
from tenants.isolation import tenant_tx
from tenants.models import ActorKind
from tenants.services.audit import Actor
from tenants.services.policies import activate_version, create_version, propose

SHORT_CONTEXTS = {"context": {"total": 400, "min_relevance": 0.1}}
WHY_SHORT = "Shorter contexts: most questions in the car need two or three memories."
WRONG_ADDRESS, RIGHT_ADDRESS = "15 Pine Street, Seattle", "51 Pine Street, Seattle"
WHY_CORRECTED = "Noah called: his office is at 51 Pine Street, we had two digits the wrong way round."
WHY_BAD = "suggested what the user is allergic to"


def do_nothing(tenant_id: UUID, subject_id: str) -> None:
    """Most talks end without anything else."""


def activate_second_policy(tenant_id: UUID, subject_id: str) -> None:
    """Let the manager make and activate the second version of the policy."""
    by = _find_staff_actor("mia")
    with tenant_tx(tenant_id):
        made = create_version(propose(SHORT_CONTEXTS, SECTIONS), by=by, reason=WHY_SHORT)
        activate_version(made.number, by=by, reason=WHY_SHORT)


def correct_address(tenant_id: UUID, subject_id: str) -> None:
    """Let support correct an address, and retire the memories that it was learned from."""
    doing = ActContext(_find_staff_actor("sam"), WHY_CORRECTED)
    with tenant_tx(tenant_id):
        tag = Tag.objects.select_related("subject").get(subject__external_id=subject_id, address=WRONG_ADDRESS)
        seen = {one.id: one.version for one in find_origins(tag) if WRONG_ADDRESS in one.text}
        made = correct_tag(tag, {"address": RIGHT_ADDRESS}, doing)
        retire_origins(tag, seen, doing, holds=made)


def report_bad_answer(tenant_id: UUID, subject_id: str) -> None:
    """Let the product report a verdict on the memories behind the newest answer that the user said nothing of."""
    with tenant_tx(tenant_id):
        receipt = Receipt.objects.filter(subject__external_id=subject_id).latest("created_at")
        used = ReceiptMemory.objects.filter(receipt=receipt, utilised=True, signal="")
        verdicts = [ProductVerdict(one.memory_ref, Signal.NEGATIVE, WHY_BAD) for one in used]
        record_outcome(receipt.id, OutcomePart(verdicts=verdicts))


def lose_worker(tenant_id: UUID, subject_id: str) -> None:
    """Let worker after worker die over the waiting extraction, until its attempts are used and it is dead."""
    with tenant_tx(tenant_id):
        items = claim_items(WorkKind.EXTRACT)
    while items:
        with tenant_tx(tenant_id):
            abandon_items(items)
        with tenant_tx(tenant_id):
            items = take_over_items(WorkKind.EXTRACT)


def _find_staff_actor(name: str) -> Actor:
    return Actor(ActorKind.STAFF, str(User.objects.get(username=name).pk))


# By the name in a talk's `then`.
STORY: Mapping[str, Callable[[UUID, str], None]] = {
    "": do_nothing,
    "correct_address": correct_address,
    "lose_worker": lose_worker,
    "report_bad_answer": report_bad_answer,
    "activate_second_policy": activate_second_policy,
}
