"""The chart as Helm renders it, and Kubernetes's own schemas."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "chart"
# Of these, Kubernetes carries no schema: they belong to the operators that read them.
FOREIGN_KINDS = frozenset({"PodMonitor", "PrometheusRule", "ScaledObject"})


def load_helm() -> Any:
    """Return Helm's library, or skip the test: `make chart` installs it."""
    return pytest.importorskip("helm_python", reason="Helm is not installed here: make chart")


@cache
def _load_chart() -> Any:
    return load_helm().Chart.load(CHART)


def render_chart(values: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return the objects of a release called `demo` in the namespace `memory`."""
    pages = _load_chart().render(values or {}, name="demo", namespace="memory")
    texts = (text for name, text in pages.items() if name.endswith(".yaml"))
    return [found for text in texts for found in yaml.safe_load_all(text) if found]


def find_object(objects: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    (found,) = (one for one in objects if one["kind"] == kind and one["metadata"]["name"] == name)
    return found


def read_pod(workload: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = workload["spec"]["template"]["spec"]
    return pod
