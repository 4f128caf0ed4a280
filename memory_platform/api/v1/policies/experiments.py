"""``/v1/experiments``: several policy versions side by side, each for its share of the subjects (row T5)."""

from dataclasses import asdict
from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import ADMIN
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.fields import JsonObjectField, ListOfField, TextField, WholeField, refuse
from memory_platform.api.requests.serializers import Output, StrictSerializer, page_of
from memory_platform.api.v1.policies.policy_serializers import VERSIONS_MOST, ReasonInput, ShareOutput
from memory_platform.api.views.base import TenantView
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from memory_platform.kernel.errors import VersionMismatch
from snapshots.feedback.tallies.shares import figures_by_arm
from tenants.errors import ExperimentConflict, ExperimentRefused, ExperimentUnknown, PolicyUnknown
from tenants.isolation import tenant_tx
from tenants.models import Experiment, ExperimentStatus
from tenants.policies.arms import BUCKETS, Arm
from tenants.services.audit import Actor
from tenants.services.experiments import (
    create_experiment,
    end_experiment,
    experiment_by_id,
    share_out,
    start_experiment,
)

NAME_CHARS = 64
ARMS_MOST = 10


class PercentsField(JsonObjectField):
    """``{"arm": percent}``."""

    def to_internal_value(self, data: Any) -> dict[str, int]:
        """Return percentages by arm. Raises ValidationError."""
        given = super().to_internal_value(data)
        if not 0 < len(given) <= ARMS_MOST:
            refuse("length", f"Names 1 to {ARMS_MOST} arms.")
        if not all(type(percent) is int and 0 <= percent <= BUCKETS for percent in given.values()):
            refuse("out_of_range", f"A percentage is a whole number from 0 to {BUCKETS}.")
        return dict(given)


class ArmInput(StrictSerializer):
    """One arm: the version that steers it, and its percentage of all subjects."""

    name = TextField(max_bytes=4 * NAME_CHARS, max_length=NAME_CHARS)
    policy_version = WholeField(least=1, most=VERSIONS_MOST)
    percent = WholeField(least=1, most=BUCKETS)


class ExperimentInput(ReasonInput):
    """An experiment of two arms or more; what the percentages leave over takes no part."""

    name = TextField(max_bytes=4 * NAME_CHARS, max_length=NAME_CHARS)
    arms = ListOfField(child=ArmInput(), most=ARMS_MOST, least=2)


class SharesInput(ReasonInput):
    """Other percentages for some arms, by name."""

    percents = PercentsField()


class ArmOutput(Output):
    """One arm."""

    name = serializers.CharField()
    policy_version = serializers.IntegerField()
    percent = serializers.IntegerField()


class ExperimentDetailOutput(Output):
    """One experiment. One that has ended does not run again."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    status = serializers.ChoiceField(choices=ExperimentStatus.values)
    arms = ArmOutput(many=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class ArmFiguresOutput(Output):
    """How well one arm served. ``precision`` and ``correction`` are of what was judged, ``utilisation`` of what a reply
    is known for, ``staleness`` of what was injected, ``degraded`` of contexts."""

    arm = serializers.CharField()
    policy_version = serializers.CharField()
    contexts = serializers.IntegerField()
    precision = ShareOutput()
    utilisation = ShareOutput()
    correction = ShareOutput()
    staleness = ShareOutput()
    degraded = ShareOutput()
    tokens_per_context = serializers.FloatField(allow_null=True)
    saved_ratio = serializers.FloatField(allow_null=True)
    fast_lane_changes = serializers.IntegerField()
    fast_lane_p95_ms = serializers.FloatField(allow_null=True)


class IndicatorsOutput(Output):
    """Every arm that made a context."""

    experiment = serializers.CharField()
    arms = ArmFiguresOutput(many=True)


class ExperimentsView(TenantView):
    """All experiments."""

    noun = "experiments"
    query_input = PageInput
    required_scope = ADMIN

    @operation("list_experiments", query=PageInput, answer=page_of(ExperimentDetailOutput))
    def get(self, request: Request) -> Response:
        """List the experiments, newest first."""
        page = Page.from_request(request, PageInput.parse(request), NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            return Response(page.answer(Experiment.objects.all(), serialize_experiment))

    @operation(
        "create_experiment",
        request=ExperimentInput,
        answer=ExperimentDetailOutput,
        status=201,
        errors=[PolicyUnknown, ExperimentRefused, ExperimentConflict],
    )
    def post(self, request: Request) -> HttpResponse:
        """Make an experiment, which steers nobody before it is started."""
        return write_once(request, partial(reply_to_create, ExperimentInput.parse(request), self.actor))


class ExperimentView(TenantView):
    """One experiment."""

    noun = "experiments"
    versioned = True
    required_scope: ClassVar[str] = ADMIN

    @operation("get_experiment", answer=ExperimentDetailOutput, errors=[ExperimentUnknown])
    def get(self, request: Request, experiment_id: UUID) -> Response:
        """Return an experiment."""
        with tenant_tx(self.tenant_id):
            found = experiment_by_id(experiment_id)
        return Response(serialize_experiment(found), headers=tag_of(found))

    @operation(
        "update_experiment",
        request=SharesInput,
        answer=ExperimentDetailOutput,
        errors=[ExperimentUnknown, ExperimentRefused, ExperimentConflict],
    )
    def patch(self, request: Request, experiment_id: UUID) -> Response:
        """Share the subjects out anew: an arm that keeps its percentage keeps every subject."""
        given, condition = SharesInput.parse(request), IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            changed = share_out(
                experiment_id, given["percents"], by=self.actor, reason=given["reason"], accept=condition.check
            )
        return Response(serialize_experiment(changed), headers=tag_of(changed))


class StartView(TenantView):
    """The beginning of an experiment."""

    noun = "experiments"
    required_scope = ADMIN

    @operation(
        "start_experiment",
        request=ReasonInput,
        answer=ExperimentDetailOutput,
        errors=[ExperimentUnknown, ExperimentRefused, ExperimentConflict, VersionMismatch],
    )
    def post(self, request: Request, experiment_id: UUID) -> HttpResponse:
        """Start an experiment; while another one runs it is 409."""
        given, condition = ReasonInput.parse(request), IfMatch.from_request(request)
        return write_once(request, partial(reply_to_start, experiment_id, given["reason"], self.actor, condition))


class EndView(TenantView):
    """The end of an experiment."""

    noun = "experiments"
    required_scope = ADMIN

    @operation(
        "end_experiment",
        request=ReasonInput,
        answer=ExperimentDetailOutput,
        errors=[ExperimentUnknown, ExperimentRefused, ExperimentConflict, VersionMismatch],
    )
    def post(self, request: Request, experiment_id: UUID) -> HttpResponse:
        """End an experiment: the active policy steers all subjects again."""
        given, condition = ReasonInput.parse(request), IfMatch.from_request(request)
        return write_once(request, partial(reply_to_end, experiment_id, given["reason"], self.actor, condition))


class IndicatorsView(TenantView):
    """How well the arms serve."""

    noun = "experiments"
    required_scope = ADMIN

    @operation("get_experiment_indicators", answer=IndicatorsOutput, errors=[ExperimentUnknown])
    def get(self, request: Request, experiment_id: UUID) -> Response:
        """Return each arm's indicators with 95 % intervals: of the days rolled up so far, within the hour."""
        with tenant_tx(self.tenant_id):
            experiment = experiment_by_id(experiment_id)
            arms = [asdict(figures) for figures in figures_by_arm(experiment.name)]
        return Response({"experiment": experiment.name, "arms": arms})


def reply_to_create(given: dict[str, Any], by: Actor) -> Reply:
    """Make an experiment in the open transaction."""
    experiment = create_experiment(given["name"], [Arm(**arm) for arm in given["arms"]], by=by, reason=given["reason"])
    return Reply(serialize_experiment(experiment), status=201, headers=tag_of(experiment))


def reply_to_start(experiment_id: UUID, reason: str, by: Actor, condition: IfMatch) -> Reply:
    """Start an experiment in the open transaction."""
    return experiment_reply(start_experiment(experiment_id, by=by, reason=reason, accept=condition.check))


def reply_to_end(experiment_id: UUID, reason: str, by: Actor, condition: IfMatch) -> Reply:
    """End an experiment in the open transaction."""
    return experiment_reply(end_experiment(experiment_id, by=by, reason=reason, accept=condition.check))


def experiment_reply(experiment: Experiment) -> Reply:
    """Return the reply with an experiment and its tag."""
    return Reply(serialize_experiment(experiment), headers=tag_of(experiment))


def serialize_experiment(experiment: Experiment) -> dict[str, Any]:
    """Return the body of an experiment."""
    return {
        "id": experiment.id,
        "name": experiment.name,
        "status": experiment.status,
        "arms": [{name: arm[name] for name in ("name", "policy_version", "percent")} for arm in experiment.arms],
        "created_at": experiment.created_at,
        "started_at": experiment.started_at,
        "ended_at": experiment.ended_at,
    }


def tag_of(experiment: Experiment) -> dict[str, str]:
    """Return the header that names an experiment's version."""
    return {"ETag": etag_of(experiment.id, experiment.version)}


urlpatterns = [
    path("experiments", ExperimentsView.as_view(), name="experiments"),
    path("experiments/<own_id:experiment_id>", ExperimentView.as_view(), name="experiment"),
    path("experiments/<own_id:experiment_id>/start", StartView.as_view(), name="experiment-start"),
    path("experiments/<own_id:experiment_id>/end", EndView.as_view(), name="experiment-end"),
    path("experiments/<own_id:experiment_id>/indicators", IndicatorsView.as_view(), name="experiment-indicators"),
]
