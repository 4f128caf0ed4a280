"""Versions of a tenant's policy, and experiments between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_platform_client.answers.inputs import ArmInput
from memory_platform_client.answers.policies import (
    Diff,
    ExperimentDetail,
    FieldsTry,
    Indicators,
    Policy,
    PolicyDetail,
    PolicyMade,
    Replay,
    Settings,
)
from memory_platform_client.call_declarations import Scope, Way, call, listing
from memory_platform_client.decoding import Page

POLICIES = "/v1/policies"
POLICY = f"{POLICIES}/{{version}}"
EXPERIMENTS = "/v1/experiments"
EXPERIMENT = f"{EXPERIMENTS}/{{experiment_id}}"


class Policies(Scope[Way]):
    """Versions of the policy: how recall, contexts and learning behave."""

    @listing(POLICIES)
    def list(self, *, limit: int | None = None) -> Page[Policy]:
        """List the versions, newest first."""

    @call("POST", POLICIES)
    def add(
        self,
        reason: str,
        *,
        changes: Mapping[str, Any] | None = None,
        remove: Sequence[str] | None = None,
        based_on: int | None = None,
        dry_run: bool | None = None,
    ) -> PolicyMade:
        """Make a version; ``dry_run`` shows it only."""

    @call("GET", POLICY)
    def get(self, version: int | str) -> PolicyDetail:
        """Get a version with all values in force under it."""

    @call("POST", f"{POLICY}/activate")
    def activate(self, version: int | str, reason: str) -> PolicyDetail:
        """Activate a version from the next request on."""

    @call("GET", f"{POLICIES}/diff")
    def diff(self, from_: int | str, to: int | str) -> Diff:
        """Compare two versions."""

    @call("GET", f"{POLICIES}/replay")
    def replay(
        self, from_: int | str, to: int | str, *, receipts: int | None = None, examples: int | None = None
    ) -> Replay:
        """Replay the newest receipts of one version under another."""

    @call("GET", f"{POLICIES}/settings")
    def settings(self) -> Settings:
        """List what a version may set, with bounds and defaults."""

    @call("POST", f"{POLICIES}/fields/try", reads=True)
    def try_fields(self, text: str, *, fields: Mapping[str, Any] | None = None) -> FieldsTry:
        """Try a text on fields."""


class Experiments(Scope[Way]):
    """Experiments between versions of the policy."""

    @listing(EXPERIMENTS)
    def list(self, *, limit: int | None = None) -> Page[ExperimentDetail]:
        """List the experiments, newest first."""

    @call("POST", EXPERIMENTS)
    def add(self, name: str, arms: Sequence[ArmInput], reason: str) -> ExperimentDetail:
        """Make an experiment."""

    @call("GET", EXPERIMENT)
    def get(self, experiment_id: str) -> ExperimentDetail:
        """Get an experiment."""

    @call("PATCH", EXPERIMENT)
    def reassign(
        self, experiment_id: str, percents: Mapping[str, int], reason: str, *, if_match: str | None = None
    ) -> ExperimentDetail:
        """Reassign subjects by new percentages."""

    @call("POST", f"{EXPERIMENT}/start")
    def start(self, experiment_id: str, reason: str) -> ExperimentDetail:
        """Start an experiment."""

    @call("POST", f"{EXPERIMENT}/end")
    def end(self, experiment_id: str, reason: str) -> ExperimentDetail:
        """End an experiment."""

    @call("GET", f"{EXPERIMENT}/indicators")
    def indicators(self, experiment_id: str) -> Indicators:
        """Get how well each arm serves its subjects, with 95 % intervals."""
