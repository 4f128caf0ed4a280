"""``/v1/experiments``: policy versions that run side by side, each for a part of the subjects."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ADMIN
from memory_platform.api.requests.fields import JsonObjectField, ListOfField, TextField, WholeField, raise_field_error
from memory_platform.api.requests.serializers import Output, StrictSerializer, page_of
from memory_platform.api.v1.policies.policy_serializers import ReasonInput, ShareOutput, make_version_field
from memory_platform.api.views.base_views import TenantView
from memory_platform.api.views.etags import IfMatch, build_etag_header
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from memory_platform.kernel.errors import VersionMismatch
from snapshots.feedback.tallies.arm_figures import load_arm_figures
from tenants.errors import ExperimentConflict, ExperimentRefused, ExperimentUnknown, PolicyUnknown
from tenants.isolation import tenant_tx
from tenants.models import Experiment, ExperimentStatus
from tenants.policies.arms import BUCKETS, Arm
from tenants.services.audit import Actor
from tenants.services.experiments import (
    create_experiment,
    end_experiment,
    experiment_by_id,
    reassign_subjects,
    start_experiment,
)

NAME_CHARS = 64
ARMS_MOST = 10


class PercentsField(JsonObjectField):
    """``{"arm": percent}``."""

    def to_internal_value(self, data: Any) -> dict[str, int]:
        given = super().to_internal_value(data)
        if not 0 < len(given) <= ARMS_MOST:
            raise_field_error("length", f"Must name 1 to {ARMS_MOST} arms.")
        if not all(type(percent) is int and 0 <= percent <= BUCKETS for percent in given.values()):
            raise_field_error("out_of_range", f"A percentage must be a whole number from 0 to {BUCKETS}.")
        return dict(given)


class ArmInput(StrictSerializer):
    """An arm of an experiment."""

    name = TextField(max_bytes=4 * NAME_CHARS, max_length=NAME_CHARS, help_text="Name of the arm.")
    policy_version = make_version_field("Policy version that is in force for its subjects.")
    percent = WholeField(least=1, most=BUCKETS, help_text="Percentage of all subjects that it gets.")


class ExperimentInput(ReasonInput):
    """A new experiment."""

    name = TextField(max_bytes=4 * NAME_CHARS, max_length=NAME_CHARS, help_text="Name of the experiment.")
    arms = ListOfField(
        child=ArmInput(),
        most=ARMS_MOST,
        least=2,
        help_text="The arms. Subjects that no arm gets take no part.",
    )


class SharesInput(ReasonInput):
    """New percentages."""

    percents = PercentsField(help_text="The new percentages, by name of the arm. Other arms keep theirs.")


class ArmOutput(Output):
    """An arm of an experiment."""

    name = serializers.CharField(help_text="Name of the arm.")
    policy_version = serializers.IntegerField(help_text="Policy version that is in force for its subjects.")
    percent = serializers.IntegerField(help_text="Percentage of all subjects that it gets.")


class ExperimentDetailOutput(Output):
    """An experiment."""

    id = serializers.UUIDField(help_text="Id of the experiment.")
    name = serializers.CharField(help_text="Name of the experiment.")
    status = serializers.ChoiceField(
        choices=ExperimentStatus.values, help_text="Whether it runs. An ended experiment cannot be started again."
    )
    arms = ArmOutput(many=True, help_text="Its arms.")
    created_at = serializers.DateTimeField(help_text="When it was made.")
    started_at = serializers.DateTimeField(allow_null=True, help_text="When it was started, if it was.")
    ended_at = serializers.DateTimeField(allow_null=True, help_text="When it was ended, if it was.")

    @staticmethod
    def render_arms(experiment: Experiment) -> list[dict[str, Any]]:
        return [{name: arm[name] for name in ("name", "policy_version", "percent")} for arm in experiment.arms]


class ArmFiguresOutput(Output):
    """How well an arm serves its subjects."""

    arm = serializers.CharField(help_text="Name of the arm.")
    policy_version = serializers.CharField(help_text="Policy version that was in force.")
    contexts = serializers.IntegerField(help_text="Contexts that were made.")
    precision = ShareOutput(help_text="Memories received positively, of those that were judged.")
    utilisation = ShareOutput(help_text="Memories used by the reply, of those whose reply is known.")
    correction = ShareOutput(help_text="Memories that the user corrected, of those that were judged.")
    staleness = ShareOutput(help_text="Memories not confirmed for 30 days, of those in contexts.")
    degraded = ShareOutput(help_text="Contexts that had to do without something.")
    tokens_per_context = serializers.FloatField(allow_null=True, help_text="Mean tokens of a context.")
    saved_ratio = serializers.FloatField(
        allow_null=True, help_text="Part of the full history that contexts save, 0 to 1."
    )
    fast_lane_changes = serializers.IntegerField(help_text="Corrections that applied at once.")
    fast_lane_p95_ms = serializers.FloatField(
        allow_null=True, help_text="95th percentile of their time in milliseconds, on the worst day."
    )


class IndicatorsOutput(Output):
    """How well the arms of an experiment serve their subjects."""

    experiment = serializers.CharField(help_text="Name of the experiment.")
    arms = ArmFiguresOutput(many=True, help_text="Every arm that made a context.")


class ExperimentsView(TenantView):
    noun = "experiments"
    required_scope = ADMIN

    @operation("list_experiments", query=PageInput, answer=page_of(ExperimentDetailOutput))
    def get(self, request: Request) -> Response:
        """List the experiments, newest first."""
        page = Page.from_request(request, PageInput.parse(request), NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            return Response(page.answer(Experiment.objects.all(), ExperimentDetailOutput.render))

    @operation(
        "create_experiment",
        request=ExperimentInput,
        answer=ExperimentDetailOutput,
        status=201,
        errors=[PolicyUnknown, ExperimentRefused, ExperimentConflict],
    )
    def post(self, request: Request) -> HttpResponse:
        """Make an experiment. It has no effect before it is started."""
        return write_once(request, partial(reply_to_create, ExperimentInput.parse(request), self.actor))


class ExperimentView(TenantView):
    noun = "experiments"
    versioned = True
    required_scope = ADMIN

    @operation("get_experiment", answer=ExperimentDetailOutput, errors=[ExperimentUnknown])
    def get(self, request: Request, experiment_id: UUID) -> Response:
        """Get an experiment."""
        with tenant_tx(self.tenant_id):
            experiment = experiment_by_id(experiment_id)
        return Response(ExperimentDetailOutput.render(experiment), headers=build_etag_header(experiment))

    @operation(
        "update_experiment",
        request=SharesInput,
        answer=ExperimentDetailOutput,
        errors=[ExperimentUnknown, ExperimentRefused, ExperimentConflict],
    )
    def patch(self, request: Request, experiment_id: UUID) -> Response:
        """Reassign subjects by new percentages. An arm that keeps its percentage keeps its subjects."""
        given, condition = SharesInput.parse(request), IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            changed = reassign_subjects(
                experiment_id, given["percents"], by=self.actor, reason=given["reason"], accept=condition.check
            )
        return Response(ExperimentDetailOutput.render(changed), headers=build_etag_header(changed))


class StartView(TenantView):
    noun = "experiments"
    required_scope = ADMIN

    @operation(
        "start_experiment",
        request=ReasonInput,
        answer=ExperimentDetailOutput,
        errors=[ExperimentUnknown, ExperimentRefused, ExperimentConflict, VersionMismatch],
    )
    def post(self, request: Request, experiment_id: UUID) -> HttpResponse:
        """Start an experiment. While another one runs, this is 409."""
        given, condition = ReasonInput.parse(request), IfMatch.from_request(request)
        start = partial(start_experiment, experiment_id, by=self.actor, reason=given["reason"], accept=condition.check)
        return write_once(request, lambda: reply_with_experiment(start()))


class EndExperimentView(TenantView):
    noun = "experiments"
    required_scope = ADMIN

    @operation(
        "end_experiment",
        request=ReasonInput,
        answer=ExperimentDetailOutput,
        errors=[ExperimentUnknown, ExperimentRefused, ExperimentConflict, VersionMismatch],
    )
    def post(self, request: Request, experiment_id: UUID) -> HttpResponse:
        """End an experiment. The active policy version applies to all subjects again."""
        given, condition = ReasonInput.parse(request), IfMatch.from_request(request)
        end = partial(end_experiment, experiment_id, by=self.actor, reason=given["reason"], accept=condition.check)
        return write_once(request, lambda: reply_with_experiment(end()))


class IndicatorsView(TenantView):
    noun = "experiments"
    required_scope = ADMIN

    @operation("get_experiment_indicators", answer=IndicatorsOutput, errors=[ExperimentUnknown])
    def get(self, request: Request, experiment_id: UUID) -> Response:
        """Get how well each arm serves its subjects, with 95 % intervals. The figures are at most an hour old."""
        with tenant_tx(self.tenant_id):
            experiment = experiment_by_id(experiment_id)
            arms = ArmFiguresOutput.render_many(load_arm_figures(experiment.name))
        return Response({"experiment": experiment.name, "arms": arms})


def reply_to_create(body: dict[str, Any], by: Actor) -> Reply:
    experiment = create_experiment(body["name"], [Arm(**arm) for arm in body["arms"]], by=by, reason=body["reason"])
    return reply_with_experiment(experiment, status=201)


def reply_with_experiment(experiment: Experiment, *, status: int = 200) -> Reply:
    return Reply(ExperimentDetailOutput.render(experiment), status=status, headers=build_etag_header(experiment))


urlpatterns = [
    path("experiments", ExperimentsView.as_view(), name="experiments"),
    path("experiments/<own_id:experiment_id>", ExperimentView.as_view(), name="experiment"),
    path("experiments/<own_id:experiment_id>/start", StartView.as_view(), name="experiment-start"),
    path("experiments/<own_id:experiment_id>/end", EndExperimentView.as_view(), name="experiment-end"),
    path("experiments/<own_id:experiment_id>/indicators", IndicatorsView.as_view(), name="experiment-indicators"),
]
