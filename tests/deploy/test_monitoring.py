"""Alerts and dashboard ask for metrics that the programs serve, and each alert says what to do. Rows: D5, D13."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from prometheus_client import Counter, Gauge, Histogram

from memory_platform.compat.openai.turn_store import FAILED
from memory_platform.observability import metrics
from memory_platform.providers.endpoints.endpoint_health import OK
from snapshots.intake.values import MessageVerdict
from tests.deploy.chart import CHART, ROOT, find_object, load_helm, render_chart

ALERTS = CHART / "monitoring" / "alerts.yaml"
DASHBOARD = CHART / "monitoring" / "dashboard.json"
ENDINGS = {Counter: ("_total",), Gauge: ("",), Histogram: ("_bucket", "_count", "_sum")}
WORDS_OF_PROMQL = {
    "absent", "and", "bool", "by", "group_left", "histogram_quantile", "increase", "le", "max", "min", "offset", "on",
    "or", "rate", "sum", "unless",
}  # fmt: skip


def find_served_series() -> dict[str, set[str]]:
    """Return the labels of each series that `/metrics` can serve, by its name."""
    series: dict[str, set[str]] = {}
    for value in vars(metrics).values():
        if isinstance(value, Counter | Gauge | Histogram):
            labels = set(value._labelnames) | ({"le"} if isinstance(value, Histogram) else set())
            series |= {value._name + ending: labels for ending in ENDINGS[type(value)]}
    return series


SERVED = find_served_series()


def read_alerts() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(ALERTS.read_text())["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


def read_panels() -> list[dict[str, Any]]:
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def list_queries() -> list[str]:
    return [rule["expr"] for rule in read_alerts()] + [
        target["expr"] for panel in read_panels() for target in panel["targets"]
    ]


def find_unknown_names(query: str) -> set[str]:
    """Return the names of a query that are neither words of PromQL, metrics of ours nor their labels."""
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\$\w+|\b\d[\w.]*', " ", query)
    names = set(re.findall(r"[a-z_]\w*", bare))
    asked = names & SERVED.keys()
    labels = set[str]().union(*(SERVED[name] for name in asked))
    return names - WORDS_OF_PROMQL - asked - labels


@pytest.mark.parametrize("query", list_queries())
def test_a_query_asks_for_series_and_labels_that_exist(query: str) -> None:
    assert find_unknown_names(query) == set()


def test_a_wrong_name_is_found() -> None:
    assert find_unknown_names('sum by (kind) (rate(work_ended_total{outcome="x"}[5m]))') == set()
    assert find_unknown_names("sum(rate(work_finished_total[5m]))") == {"work_finished_total"}
    assert find_unknown_names("sum by (tenant) (rate(work_ended_total[5m]))") == {"tenant"}


def test_the_alerts_ask_for_outcomes_that_are_counted() -> None:
    asked = set(re.findall(r'(\w+)!?="([a-z]\w+)"', " ".join(rule["expr"] for rule in read_alerts())))
    assert asked == {("verdict", "stored"), ("outcome", "done"), ("outcome", "ok"), ("outcome", FAILED)}
    assert "stored" in get_args(MessageVerdict)
    assert OK == "ok"


def test_the_dashboard_shows_what_is_measured() -> None:
    shown = " ".join(target["expr"] for panel in read_panels() for target in panel["targets"])
    declared = {value._name for value in vars(metrics).values() if isinstance(value, Counter | Gauge | Histogram)}
    left_out = {name for name in declared if name not in shown}
    assert left_out == {"api_database_refusals", "api_replies_replayed", "memories_replied", "model_proposals",
                        "recall_index_damaged", "webhook_tries"}  # fmt: skip


def test_panels_lie_beside_each_other() -> None:
    everything = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in everything}) == len(everything)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in everything)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


@pytest.mark.parametrize("name", [rule["alert"] for rule in read_alerts()])
def test_an_alert_says_what_to_do_and_is_tried(name: str) -> None:
    rows = (ROOT / "docs" / "operations" / "operation.md").read_text().split("\n## Alerts\n")[1]
    assert re.search(rf"^\| `{name}` \| .+ \| .+ \|$", rows, re.MULTILINE)
    trials = yaml.safe_load((Path(__file__).parent / "alerts_test.yaml").read_text())["tests"]
    expected = [
        trial["exp_alerts"] for test in trials for trial in test["alert_rule_test"] if trial["alertname"] == name
    ]
    assert [] in expected
    assert any(expected)


@pytest.mark.processes
def test_prometheus_accepts_the_alerts_and_they_tell_faults_from_good_days(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed here: it comes with Debian's package prometheus")
    for path in (ALERTS, Path(__file__).parent / "alerts_test.yaml"):
        shutil.copy(path, tmp_path)
    for command in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts_test.yaml"]):
        done = subprocess.run([promtool, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_chart_hands_both_on_unchanged() -> None:
    load_helm()
    objects = render_chart({"monitoring": {"podMonitor": True, "rules": True, "dashboard": True}})
    rules = find_object(objects, "PrometheusRule", "demo-memory-platform")
    assert rules["spec"] == yaml.safe_load(ALERTS.read_text())
    page = find_object(objects, "ConfigMap", "demo-memory-platform-dashboard")
    assert json.loads(page["data"]["memory-platform.json"]) == json.loads(DASHBOARD.read_text())
    ports = find_object(objects, "PodMonitor", "demo-memory-platform")["spec"]["podMetricsEndpoints"]
    assert [port["port"] for port in ports] == ["http", "metrics"]
