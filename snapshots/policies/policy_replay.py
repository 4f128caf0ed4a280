"""Replays stored receipts under another policy: changed contexts, and the value of memories that would leave."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from snapshots.config import RETENTION_SECTION
from snapshots.context.receipt_record import load_component_versions
from snapshots.feedback.tallies.arm_figures import ShareEstimate, estimate_share
from snapshots.models import Receipt, ReceiptMemory
from snapshots.notes.policy_section import NOTES_SECTION
from snapshots.policies.effective_policies import build_policies
from snapshots.policies.policy_sections import PURGE
from snapshots.policies.receipt_replay import (
    ReplayedChoice,
    ReplayedQuestion,
    count_other_tokens,
    find_memory_room,
    list_replayed_candidates,
    list_unreplayable_changes,
    replay_receipt,
)
from snapshots.receipts.candidate_packing import unpack_candidates
from snapshots.understanding.fields.requested_fields import FIELDS_SECTION
from tenants.policies.policy_documents import Document, list_differences
from tenants.services.policies import FIRST, version_by_number

READ_AT_ONCE = 200
READ_COLUMNS = ("id", "intent", "candidates", "packed", "sections", "made_by")
FIRST_RELEASE = "1"
# Differences that no receipt can express.
ALWAYS_UNTOLD = (
    "memories that were not among a receipt's candidates: another order of the search would bring others",
    "budgets that a caller named itself, and replies to prompts that nobody ever saw",
)


@dataclass(frozen=True, slots=True)
class ReplayExample:
    """One context that would change, by ids."""

    receipt_id: UUID
    entering: tuple[str, ...]
    leaving: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplayRefusal:
    """Receipts that are not replayed, as another version made them: ``reason`` is the part that differs
    (``other_release``, ``other_clauses``, ``other_relevance``), ``made_by`` its version then, ``now`` the present one.
    """

    reason: str
    made_by: str
    now: str
    receipts: int


@dataclass(frozen=True, slots=True)
class PolicyReplay:
    """The effect of a policy on the receipts of another.

    ``receipts`` were read, those of other versions ``refused``; ``compared`` had candidates to choose from; of these
    ``reproduced`` come out unchanged under their own policy: a measure of the replay's reliability.
    ``utilised_leaving`` and ``utilised_staying`` are shares of the chosen memories with a known reply. ``untold``:
    differences that no receipt expresses.
    """

    receipts: int
    compared: int
    reproduced: ShareEstimate
    changed: ShareEstimate
    entering: int
    leaving: int
    tokens_before: float
    tokens_after: float
    utilised_leaving: ShareEstimate
    utilised_staying: ShareEstimate
    untold: tuple[str, ...]
    examples: tuple[ReplayExample, ...] = field(default=())
    refused: tuple[ReplayRefusal, ...] = field(default=())


def replay_policy(before: int, after: int, *, receipts: int, examples: int = 10) -> PolicyReplay:
    """Replay the newest ``receipts`` made under version ``before`` under version ``after``, in the open scope.

    Raises PolicyUnknown. Nothing is written.
    """
    documents = version_by_number(before).document, version_by_number(after).document
    old, new = build_policies(before, documents[0]), build_policies(after, documents[1])
    rows = Receipt.objects.filter(policy_version=str(before), subject__erasing=False)
    found = rows.order_by("-created_at", "-id").only(*READ_COLUMNS)[:receipts]
    read, choices, refused = 0, {}, Counter[tuple[str, str]]()
    for receipt in found.iterator(chunk_size=READ_AT_ONCE):
        read += 1
        other = find_version_difference(receipt)
        if other is not None:
            refused[other, receipt.made_by.get(other, FIRST_RELEASE)] += 1
            continue
        offered = list_replayed_candidates(unpack_candidates(receipt))
        if offered:
            asked = ReplayedQuestion(
                offered,
                receipt.intent,
                count_other_tokens(receipt.sections, offered),
                find_memory_room(receipt.sections),
            )
            choices[receipt.id] = replay_receipt(asked, old, new)
    told = _sum_replay(read, choices, _load_utilised(choices), list_untold_changes(*documents), examples)
    return replace(
        told,
        refused=tuple(
            ReplayRefusal(f"other_{what}", by, load_component_versions()[what], count)
            for (what, by), count in sorted(refused.items())
        ),
    )


def list_untold_changes(before: Document, after: Document) -> tuple[str, ...]:
    """Return the settings ("context.total") in which two documents differ and whose effect no receipt expresses."""
    old, new = build_policies(FIRST, before), build_policies(FIRST, after)
    return (*list_unreplayable_changes(old, new), *_list_storage_changes(before, after))


def find_version_difference(receipt: Receipt) -> str | None:
    """Return the part that made a receipt in another version than the present one, the release first, or None. Scores
    of different classifiers are not comparable, nor are prompts of different releases."""
    return next((what for what, now in load_component_versions().items() if receipt.made_by.get(what) != now), None)


def _list_storage_changes(before: Document, after: Document) -> Iterator[str]:
    sections = {section.name: section for section in (RETENTION_SECTION, PURGE, NOTES_SECTION, FIELDS_SECTION)}
    for change in list_differences(before, after, sections):
        yield f"{change.section}.{change.field}"


def _load_utilised(choices: dict[UUID, ReplayedChoice]) -> dict[tuple[UUID, str], bool]:
    """Return which of the chosen memories were used, for those with a known reply."""
    ids = list(choices)
    found: dict[tuple[UUID, str], bool] = {}
    for first in range(0, len(ids), READ_AT_ONCE):
        rows = ReceiptMemory.objects.filter(
            receipt_id__in=ids[first : first + READ_AT_ONCE], utilised__isnull=False
        ).order_by()
        for receipt_id, memory, used in rows.values_list("receipt_id", "memory_ref", "utilised"):
            found[receipt_id, str(memory)] = bool(used)
    return found


def _sum_replay(
    read: int,
    choices: dict[UUID, ReplayedChoice],
    utilised: dict[tuple[UUID, str], bool],
    not_told: tuple[str, ...],
    examples: int,
) -> PolicyReplay:
    differing = {receipt_id: one for receipt_id, one in choices.items() if one.before != one.after}
    leaving = _list_known_uses(
        utilised, ((receipt, memory) for receipt, one in choices.items() for memory in one.leaving)
    )
    staying = _list_known_uses(
        utilised, ((receipt, memory) for receipt, one in choices.items() for memory in one.before & one.after)
    )
    return PolicyReplay(
        receipts=read,
        compared=len(choices),
        reproduced=estimate_share(sum(one.reproduced for one in choices.values()), len(choices)),
        changed=estimate_share(len(differing), len(choices)),
        entering=sum(len(one.entering) for one in choices.values()),
        leaving=sum(len(one.leaving) for one in choices.values()),
        tokens_before=_mean(one.tokens_before for one in choices.values()),
        tokens_after=_mean(one.tokens_after for one in choices.values()),
        utilised_leaving=estimate_share(sum(leaving), len(leaving)),
        utilised_staying=estimate_share(sum(staying), len(staying)),
        untold=not_told,
        examples=tuple(
            ReplayExample(receipt_id, tuple(sorted(one.entering)), tuple(sorted(one.leaving)))
            for receipt_id, one in list(differing.items())[:examples]
        ),
    )


def _list_known_uses(utilised: dict[tuple[UUID, str], bool], memories: Iterable[tuple[UUID, str]]) -> list[bool]:
    return [utilised[one] for one in memories if one in utilised]


def _mean(numbers: Iterable[int]) -> float:
    held: list[Any] = list(numbers)
    return round(sum(held) / len(held), 1) if held else 0.0
