"""A policy version replayed on the last receipts, before it is activated."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memory_platform.console.policies.experiments import render_share
from memory_platform.console.policies.policy_saving import PolicySavingAdmin
from memory_platform.console.policies.setting_labels import SETTING_LABELS
from memory_platform.console.shared.config import POLICY_REPLAY
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.rendering import EMPTY_VALUE, render_link
from snapshots.models import Receipt
from snapshots.policies.policy_replay import PolicyReplay, ReplayRefusal, replay_policy
from tenants.models import PolicyVersion
from tenants.services.policies import active_number


@admin.display(description=gettext_lazy("replay"))
def render_replay_link(version: PolicyVersion) -> str:
    """Return the link to the replay of a version; the active version made the receipts, so it has none."""
    if version.number == getattr(version, "active", 0):
        return EMPTY_VALUE
    address = reverse("admin:tenants_policyversion_replay", args=[version.pk])
    return format_html('<a class="button" href="{}">{}</a>', address, _("Replay on the last receipts"))


class PolicyReplayAdmin(PolicySavingAdmin):
    """A screen of policy versions that can be replayed on the receipts of the active one."""

    def get_urls(self) -> list[URLPattern]:
        own = make_console_path("<path:object_id>/replay/", self.replay_view, "tenants_policyversion_replay")
        return [own, *super().get_urls()]

    @method_decorator(require_safe)
    def replay_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show how many of the newest contexts would hold other memories under this version. Writes nothing."""
        require_permission(self.has_manager_permission, request)
        version = self.get_or_404(request, object_id)
        active = active_number()
        told = replay_policy(
            active, version.number, receipts=POLICY_REPLAY.max_receipts, examples=POLICY_REPLAY.max_examples
        )
        return render_console_page(
            request,
            "console/policy_replay.html",
            _("Version %(other)s on the last receipts of version %(active)s")
            % {"other": version.number, "active": active},
            opts=self.opts,
            version=version,
            told=told,
            figures=build_replay_figures(told),
            examples=[
                {
                    "receipt": render_link(Receipt, one.receipt_id),
                    "entering": len(one.entering),
                    "leaving": len(one.leaving),
                }
                for one in told.examples
            ],
            refused=[render_replay_refusal(one) for one in told.refused],
            untold=[SETTING_LABELS.get(name, name) for name in told.untold],
        )


def build_replay_figures(told: PolicyReplay) -> list[tuple[str, Any]]:
    return [
        (_("receipts read"), told.receipts),
        (_("with candidates to choose from"), told.compared),
        (_("reproduced under their own version"), render_share(told.reproduced)),
        (_("would contain other memories"), render_share(told.changed)),
        (_("memories added"), told.entering),
        (_("memories removed"), told.leaving),
        (_("tokens of memories in a context, before"), told.tokens_before),
        (_("tokens of memories in a context, after"), told.tokens_after),
        (_("used by replies, of memories removed"), render_share(told.utilised_leaving)),
        (_("used by replies, of memories that stay"), render_share(told.utilised_staying)),
    ]


def render_replay_refusal(one: ReplayRefusal) -> str:
    told = {
        "other_release": _("%(count)s receipts are left out: release %(made_by)s made them, this is release %(now)s."),
        "other_clauses": _("%(count)s receipts are left out: another reader of notes (%(made_by)s) served them."),
        "other_relevance": _("%(count)s receipts are left out: another reader of relevance (%(made_by)s) judged them."),
    }
    return told[one.reason] % {"count": one.receipts, "made_by": one.made_by, "now": one.now}
