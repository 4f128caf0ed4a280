"""Choose the facts of a prefix without room for all: the gravest vital notes first, slots before habits."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from profiles.provenance_and_verdict import STATED_PROVENANCES
from snapshots.context.choosing.deduplicate import are_entries_named, list_value_entries, normalise_words
from snapshots.context.choosing.section_candidates import Refused
from snapshots.context.token_budget import (
    CountedPiece,
    SectionShelf,
    SectionSlot,
    TokenRoom,
    choose_fitting_pieces,
    count_tokens,
)
from snapshots.context.values import DecisionReason
from snapshots.models import VitalClass


@dataclass(frozen=True, slots=True)
class VitalRoom:
    """How many vital notes every context holds, and how many tokens they take before all others.

    ``waits``: if they do not all fit, relevant ones go first. ``fills``: they take the room that is left.
    """

    most: int
    tokens: int
    waits: bool = False
    fills: bool = False


def order_prefix_shelf(shelf: SectionShelf, vital: VitalRoom) -> tuple[SectionShelf, Refused]:
    """Return the profile's shelf in the order in which the prefix takes it, and slots that vital notes repeat.

    The gravest vital notes within their room, slots, the other vital notes, then limits and habits: confirmed ones
    first, the newest first. Vital notes beyond the most compete by the question alone.
    """
    notes = [piece for piece in shelf.pieces if _is_note(piece)]
    standing = _list_vital_notes(shelf, vital)
    first, _ = choose_fitting_pieces(
        replace(shelf, pieces=tuple(standing)), SectionSlot(vital.tokens, "never"), TokenRoom(free=vital.tokens)
    )
    habits = sorted((piece for piece in notes if not _is_vital(piece)), key=lambda piece: piece.since, reverse=True)
    habits.sort(key=lambda piece: not _is_stated(piece))
    slots = [piece for piece in shelf.pieces if not _is_note(piece)]
    if vital.waits and len(first) < len(standing):
        return replace(shelf, pieces=()), []
    said = [normalise_words(piece.source_memory.text) for piece in first if piece.source_memory]
    repeats = [
        one for one in slots if one.source_memory and are_entries_named(list_value_entries(one.source_memory), said)
    ]
    ordered = (*first, *_leave_out(slots, repeats), *_leave_out(standing, first), *habits)
    return replace(shelf, pieces=ordered), [(piece, DecisionReason.DUPLICATE_OF_PROFILE) for piece in repeats]


def add_vital_facts(
    pieces: Sequence[CountedPiece], shelf: SectionShelf, vital: VitalRoom, free: int, memory_ids: Collection[str]
) -> tuple[CountedPiece, ...]:
    """Return ``pieces`` and, within ``free`` tokens, the newest vital notes and then limits that are not ``memory_ids``
    elsewhere."""
    filled, inside = tuple(pieces), set(map(id, pieces))
    for piece in (*_list_vital_notes(shelf, vital), *(one for one in shelf.pieces if not _is_note(one))):
        more = count_tokens((*filled, piece)) - count_tokens(pieces)
        if (
            id(piece) not in inside
            and more <= free
            and (piece.source_memory is None or piece.source_memory.id not in memory_ids)
        ):
            filled = (*filled, piece)
    return filled


def _list_vital_notes(shelf: SectionShelf, vital: VitalRoom) -> list[CountedPiece]:
    """Return the vital notes that stand whatever is asked, the gravest first, then the newest, then the surest."""
    notes = [
        (piece, item) for piece in shelf.pieces if (item := piece.source_memory) and _is_note(piece) and item.vital
    ]
    notes.sort(key=lambda one: (rank_gravity(one[1].vital_class), one[0].since, one[1].confidence), reverse=True)
    return [piece for piece, _ in notes[: vital.most]]


def rank_gravity(vital_class: str) -> int:
    """Return how grave it is to miss a vital note of a class: what harms a body at once comes before the rest."""
    return {VitalClass.ALLERGY: 2, VitalClass.ILLNESS: 1}.get(VitalClass(vital_class), 0) if vital_class else 0


def order_by_time(pieces: Sequence[CountedPiece], shelf: SectionShelf) -> tuple[CountedPiece, ...]:
    """Return the vital pieces, then the others, both oldest first, so that a new one is appended."""
    ids = set(map(id, pieces))
    held = (piece for piece in shelf.pieces if id(piece) in ids)
    return tuple(sorted(held, key=lambda piece: (not _is_vital(piece), piece.since.date(), piece.since)))


def _leave_out(pieces: Iterable[CountedPiece], exclusions: Iterable[CountedPiece]) -> list[CountedPiece]:
    ids = set(map(id, exclusions))
    return [piece for piece in pieces if id(piece) not in ids]


def _is_note(piece: CountedPiece) -> bool:
    return piece.source_memory is not None and piece.source_memory.lane == "snapshots"


def _is_stated(piece: CountedPiece) -> bool:
    return piece.source_memory is not None and piece.source_memory.provenance in STATED_PROVENANCES


def _is_vital(piece: CountedPiece) -> bool:
    return piece.source_memory is not None and piece.source_memory.vital
