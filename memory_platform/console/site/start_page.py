"""The tiles of the start page: what waits for a decision, and for managers the last week."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from memory_platform.console.figures.dashboards import Tile, tiles_of
from memory_platform.console.figures.figures import figures_of
from memory_platform.console.shared.access import current_desk
from memory_platform.console.shared.display import list_address
from memory_platform.console.shared.pages import is_manager
from memory_platform.console.shared.policy import FIGURES
from profiles.models import Candidate
from profiles.values import Verdict
from snapshots.models import MemoryReview, Work, WorkState

WEEK = FIGURES.periods[0]


def waiting_tiles(request: HttpRequest) -> Sequence[Tile]:
    """Return tiles of what waits in the current tenant; none without one."""
    return list(_waiting_tiles()) if current_desk(request) else []


def week_tiles(request: HttpRequest) -> Sequence[Tile]:
    return tiles_of(figures_of(WEEK, "all")) if is_manager(request) else []


def _waiting_tiles() -> Iterator[Tile]:
    pending = Candidate.objects.filter(verdict=Verdict.PENDING)
    yield Tile(_("Candidates to review"), _capped_count(pending), address=reverse("admin:profiles_candidate_review"))
    unsure = MemoryReview.objects.filter(decided_at__isnull=True)
    yield Tile(_("Memories to review"), _capped_count(unsure), address=list_address(MemoryReview))
    dead = _capped_count(Work.objects.filter(state=WorkState.DEAD))
    yield Tile(_("Dead letters"), dead, kept=dead == "0", address=reverse("admin:snapshots_work_dead"))


def _capped_count(rows: QuerySet[Candidate] | QuerySet[MemoryReview] | QuerySet[Work]) -> str:
    """Return the number of rows as text, counted up to a bound."""
    count = rows.order_by()[: FIGURES.counted + 1].count()
    return f"{count:,}" if count <= FIGURES.counted else f"{FIGURES.counted:,}+"
