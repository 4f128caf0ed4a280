"""The moment at which a subject's page shows its beliefs, on one of two clocks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime

from memory_platform.console.shared.config import SUBJECT_PAGE
from profiles.models import Preference, ProfileFact, Subject

KNOWN_AT, AS_OF = "known_at", "as_of"
# The two clocks, named as the API names them, and between which times a value stands on each.
CLOCKS = {KNOWN_AT: ("recorded_at", "retired_at"), AS_OF: ("valid_at", "invalid_at")}


@dataclass(frozen=True, slots=True)
class SliderRange:
    """The time range of the slider, and the moments at which beliefs changed, oldest first."""

    start: datetime
    end: datetime
    changes: tuple[datetime, ...] = ()

    def find_moment(self, step: int) -> datetime:
        return self.start + (self.end - self.start) * step / SUBJECT_PAGE.slider_steps

    def find_step(self, at: datetime) -> int:
        """Return the slider's step that is nearest to a moment."""
        share = (at - self.start) / (self.end - self.start)
        return min(SUBJECT_PAGE.slider_steps, max(0, round(share * SUBJECT_PAGE.slider_steps)))

    def find_moment_before(self, at: datetime) -> datetime | None:
        """Return the latest moment at which the change that ``at`` shows last had not happened; None before the first
        change."""
        last = max((change for change in self.changes if change <= at), default=None)
        if last is None:
            return None
        return max((moment for moment in map(_round_up_to_second, self.changes) if moment < last), default=self.start)

    def find_moment_after(self, at: datetime) -> datetime | None:
        """Return the moment just after the next change; None after the last one."""
        following = min((change for change in self.changes if change > at), default=None)
        return _round_up_to_second(following) if following is not None else None


@dataclass(frozen=True, slots=True)
class RequestedMoment:
    """The requested moment: ``at`` on ``clock``; None is now. ``malformed``: it was not readable, so now is shown."""

    clock: str = KNOWN_AT
    at: datetime | None = None
    malformed: bool = False

    @property
    def selector_arguments(self) -> dict[str, Any]:
        return {self.clock: self.at}


def parse_time_axis(parameters: Mapping[str, str]) -> str:
    return parameters["clock"] if parameters.get("clock") in CLOCKS else KNOWN_AT


def parse_moment(parameters: Mapping[str, str], span: SliderRange) -> RequestedMoment:
    """Read the form: the slider if its button was pressed, else the date. A time that is not past means now."""
    clock = parse_time_axis(parameters)
    try:
        at = (
            _parse_slider(parameters, span)
            if parameters.get("by") == "slider"
            else _parse_date(parameters.get("at", ""))
        )
    except ValueError:
        return RequestedMoment(clock, malformed=True)
    return RequestedMoment(clock, at if at is not None and at < span.end else None)


def load_slider_range(subject: Subject, clock: str, now: datetime) -> SliderRange:
    """Return the slider's time range with the latest changes of profile and preferences. One query."""
    parts = [_select_times(rows, subject, clock) for rows in (ProfileFact.objects.all(), Preference.objects.all())]
    pairs = parts[0].union(parts[1], all=True)
    times = {at for pair in pairs for at in pair if at is not None and at < now}
    changes = sorted(times)[-SUBJECT_PAGE.max_changes :]
    start = min([subject.created_at, *changes[:1]])
    # One second earlier, so that even the first change lies behind the slider's start.
    return SliderRange(start - ONE_SECOND, max(now, start), tuple(changes))


def _select_times(rows: QuerySet[Any], subject: Subject, clock: str) -> QuerySet[Any]:
    """Select when values began and ended, the latest ones."""
    began, ended = CLOCKS[clock]
    known = rows.filter(subject=subject) if clock == KNOWN_AT else rows.filter(subject=subject, retired_at__isnull=True)
    return known.order_by(f"-{began}").values_list(began, ended)[: SUBJECT_PAGE.max_changes]


ONE_SECOND = timedelta(seconds=1)
# What one act changes beside a belief, such as its statement and its note, changes up to so much later.
ACT_TAKES = timedelta(milliseconds=500)


def _round_up_to_second(at: datetime) -> datetime:
    """Return a full second at which the act of the change is over."""
    return at if at.microsecond == 0 else (at + ACT_TAKES).replace(microsecond=0) + ONE_SECOND


def _parse_slider(parameters: Mapping[str, str], span: SliderRange) -> datetime | None:
    # At most nine digits: the text comes from the address.
    step = int(parameters.get("step", "")[:9])
    return span.find_moment(step) if 0 <= step < SUBJECT_PAGE.slider_steps else None


def _parse_date(text: str) -> datetime | None:
    """Return a moment in UTC, None for an empty text. Raises ValueError."""
    if not text.strip():
        return None
    at = parse_datetime(text.strip()[:40])
    if at is None:
        raise ValueError
    return at if at.tzinfo else at.replace(tzinfo=UTC)
