"""The tiles of the start page: pending decisions, and for managers the last week."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from memory_platform.console.figures.daily_indicators import load_indicator_period
from memory_platform.console.figures.dashboard import Tile, build_tiles
from memory_platform.console.shared.config import DASHBOARD
from memory_platform.console.shared.custom_pages import is_manager
from memory_platform.console.shared.rendering import build_list_address
from memory_platform.console.shared.tenant_access import current_desk
from profiles.models import Candidate
from profiles.values import Verdict
from snapshots.models import MemoryReview, Work, WorkState

WEEK_DAYS = DASHBOARD.periods[0]


def build_waiting_tiles(request: HttpRequest) -> Sequence[Tile]:
    return list(_yield_waiting_tiles()) if current_desk(request) else []


def build_week_tiles(request: HttpRequest) -> Sequence[Tile]:
    return build_tiles(load_indicator_period(WEEK_DAYS, "all")) if is_manager(request) else []


def _yield_waiting_tiles() -> Iterator[Tile]:
    pending = Candidate.objects.filter(verdict=Verdict.PENDING)
    yield Tile(
        _("Candidates to review"), _format_capped_count(pending), address=reverse("admin:profiles_candidate_review")
    )
    unsure = MemoryReview.objects.filter(decided_at__isnull=True)
    yield Tile(_("Memories to review"), _format_capped_count(unsure), address=build_list_address(MemoryReview))
    dead = _format_capped_count(Work.objects.filter(state=WorkState.DEAD))
    yield Tile(_("Dead letters"), dead, kept=dead == "0", address=reverse("admin:snapshots_work_dead"))


def _format_capped_count(rows: QuerySet[Candidate] | QuerySet[MemoryReview] | QuerySet[Work]) -> str:
    """Return the number of rows as text, counted up to a bound."""
    count = rows.order_by()[: DASHBOARD.max_counted + 1].count()
    return f"{count:,}" if count <= DASHBOARD.max_counted else f"{DASHBOARD.max_counted:,}+"
