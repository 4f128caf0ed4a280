"""The status of a row in one word, coloured by whether somebody must do something about it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timeuntil
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.note_and_state_labels import CURRENT, STATE_LABELS
from snapshots.models import Conversation, ConversationStatus
from tenants.models import ApiKey, Experiment, ExperimentStatus

# From when on the end of a key is something to look at.
SOON = timedelta(days=7)
GOOD, QUIET, WARNING, BAD = "good", "quiet", "warning", "bad"


@dataclass(frozen=True, slots=True)
class StatusBadge:
    """One word and its tone: good (in use), quiet (over), warning (look at it) or bad (it failed)."""

    label: Any
    tone: str = QUIET


POSSIBLY_OUTDATED = StatusBadge(_("possibly outdated"), WARNING)


def render_badge(badge: StatusBadge) -> SafeString:
    return format_html('<span class="badge badge-{}">{}</span>', badge.tone, badge.label)


def get_memory_badge(state: str, *, is_outdated: bool = False) -> StatusBadge:
    """Return the badge of a memory in a state of ``note_and_state_labels``. ``is_outdated``: a newer message
    may have ended it."""
    if state != CURRENT:
        return StatusBadge(STATE_LABELS[state])
    return POSSIBLY_OUTDATED if is_outdated else StatusBadge(STATE_LABELS[state], GOOD)


def get_conversation_badge(conversation: Conversation) -> StatusBadge:
    is_open = conversation.status == ConversationStatus.OPEN
    return StatusBadge(conversation.get_status_display(), GOOD if is_open else QUIET)


def get_key_badge(api_key: ApiKey) -> StatusBadge:
    if api_key.revoked_at is not None:
        return StatusBadge(_("revoked"))
    if _is_over(api_key.expires_at):
        return StatusBadge(_("expired"))
    if api_key.expires_at is None:
        return StatusBadge(_("active"), GOOD)
    left = api_key.expires_at - timezone.now()
    label = gettext("expires in %(time)s") % {"time": timeuntil(api_key.expires_at, depth=1)}
    return StatusBadge(label, WARNING if left < SOON else GOOD)


def get_policy_badge(*, is_active: bool, was_active: bool) -> StatusBadge:
    if is_active:
        return StatusBadge(_("active"), GOOD)
    return StatusBadge(_("earlier")) if was_active else StatusBadge(_("draft, not active yet"), WARNING)


def get_experiment_badge(experiment: Experiment) -> StatusBadge:
    tones = {ExperimentStatus.DRAFT: WARNING, ExperimentStatus.RUNNING: GOOD}
    return StatusBadge(experiment.get_status_display(), tones.get(ExperimentStatus(experiment.status), QUIET))


def _is_over(at: datetime | None) -> bool:
    return at is not None and at <= timezone.now()
