"""How well each arm of an experiment serves: shares as bars with their intervals, and counts."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.value_rendering import EMPTY_VALUE
from snapshots.feedback.tallies.arm_figures import ArmFigures, ShareEstimate, load_arm_figures
from tenants.models import Experiment

# Units of a bar, from no share to all of it.
BAR_WIDTH = 100
INDICATORS = (
    ("precision", _("precision"), _("memories with positive feedback, of those with feedback")),
    ("utilisation", _("utilisation"), _("memories used in the reply, of those whose reply is known")),
    ("correction", _("corrections"), _("memories that were corrected, of those with feedback")),
    ("staleness", _("staleness"), _("memories not validated for 30 days, of all in prompts")),
)


@admin.display(description=_("results of each arm"))
def render_arm_figures(experiment: Experiment) -> SafeString:
    """Return the shares of each arm with 95 % intervals and n, from the days that are rolled up."""
    figures = load_arm_figures(experiment.name)
    context = {
        "arms": [_build_counts(one) for one in figures],
        "bar_width": BAR_WIDTH,
        "indicators": [
            {"label": label, "what": what, "rows": _build_bars(figures, name)} for name, label, what in INDICATORS
        ],
    }
    return render_to_string("console/policies/experiments/arm_figures.html", context)


def _build_counts(figures: ArmFigures) -> dict[str, Any]:
    return {
        "arm": figures.arm,
        "version": figures.policy_version,
        "contexts": figures.contexts,
        "tokens": EMPTY_VALUE if figures.tokens_per_context is None else figures.tokens_per_context,
        "corrections": figures.fast_lane_changes,
        "p95": EMPTY_VALUE if figures.fast_lane_p95_ms is None else figures.fast_lane_p95_ms,
    }


def _build_bars(arms: Iterable[ArmFigures], indicator: str) -> list[dict[str, Any]]:
    rows = []
    for figures in arms:
        share: ShareEstimate = getattr(figures, indicator)
        low, value, high = (BAR_WIDTH * (one or 0.0) for one in (share.low, share.value, share.high))
        rows.append(
            {
                "arm": figures.arm,
                "version": figures.policy_version,
                "text": render_share(share),
                "is_known": share.value is not None,
                "value": f"{value:.1f}",
                "low": f"{low:.1f}",
                "width": f"{high - low:.1f}",
            }
        )
    return rows


def render_share(share: ShareEstimate) -> str:
    if share.value is None or share.low is None or share.high is None:
        return EMPTY_VALUE
    return f"{share.value:.1%} ({share.low:.1%}-{share.high:.1%}; n={share.of:,})"
