"""The chart renders what Kubernetes accepts, and no program has more rights than it needs. Rows: D6, D13."""

import re
from typing import Any

import pytest
import yaml
from django.urls import URLPattern, URLResolver, get_resolver

from memory_platform.env.environment import Environment
from tests.deploy.chart import CHART, FOREIGN_KINDS, ROOT, find_object, load_helm, read_pod, render_chart

pytestmark = pytest.mark.slow

EVERYTHING: dict[str, Any] = {
    "environment": {"LOG_LEVEL": "INFO", "EMBEDDER": "wordllama,use"},
    "image": {"pullSecrets": [{"name": "pull"}]},
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "certificate", "annotations": {"a": "b"}},
    "networkPolicy": {"enabled": True, "egress": [{"ports": [{"port": 5432}]}]},
    "podAnnotations": {"a": "b"},
    "tracing": {"endpoint": "http://collector:4318"},
    "setUp": {"superuserSecret": "superuser"},
    "web": {"autoscaling": {"enabled": True}, "nodeSelector": {"disk": "fast"}},
    "worker": {"autoscaling": {"enabled": True}, "tolerations": [{"operator": "Exists"}]},
}
QUEUE_AGE: dict[str, Any] = {"worker": {"autoscaling": {"enabled": True, "by": "prometheus-adapter"}}}
KEDA: dict[str, Any] = {"worker": {"autoscaling": {"enabled": True, "by": "keda"}}}
VALUES = {"default": {}, "everything": EVERYTHING, "queue age": QUEUE_AGE, "keda": KEDA}
OLDEST = pytest.param("1.27", marks=pytest.mark.slow)
NEWEST = "1.37"
TRACES_TO = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.fixture(autouse=True)
def _helm() -> None:
    load_helm()


def list_workloads(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in objects if one["kind"] in {"Deployment", "Job"}]


def list_containers(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [container for one in list_workloads(objects) for container in read_pod(one)["containers"]]


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("name", sorted(VALUES))
def test_kubernetes_accepts_every_object(name: str, version: str) -> None:
    schemas = pytest.importorskip("kubernetes_validate", reason="its schemas are not installed here: make chart")
    objects = render_chart(VALUES[name])
    for one in objects:
        if one["kind"] not in FOREIGN_KINDS:
            schemas.validate(one, version, strict=True)
    assert {"Deployment", "Job", "PodDisruptionBudget", "Service", "ServiceAccount"} <= {o["kind"] for o in objects}


def test_the_schemas_find_a_fault() -> None:
    schemas = pytest.importorskip("kubernetes_validate", reason="its schemas are not installed here: make chart")
    web = find_object(render_chart(), "Deployment", "demo-memory-platform-web")
    web["spec"]["replica"] = 1
    with pytest.raises(schemas.ValidationError):
        schemas.validate(web, NEWEST, strict=True)


def test_helm_finds_nothing_to_say_but_the_icon() -> None:
    report = load_helm().lint(CHART, strict=True)
    assert [message["error"] for message in report["messages"]] == ["icon is recommended"]


@pytest.mark.parametrize(
    "values",
    [
        {"wroker": {"replicas": 3}},
        {"worker": {"replica": 3}},
        {"worker": {"autoscaling": {"by": "wishes"}}},
        {"hosts": []},
        {"secret": {"name": ""}},
        {"environment": {"ALLOWED_HOSTS": "*"}},
        {"environment": {"DEBUG": True}},
    ],
)
def test_a_wrong_value_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(load_helm().HelmError):
        render_chart(values)


@pytest.mark.parametrize("name", ["default", "everything"])
def test_no_program_has_more_rights_than_it_needs(name: str) -> None:
    objects = render_chart(VALUES[name])
    for workload in list_workloads(objects):
        pod = read_pod(workload)
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in list_containers(objects):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"mountPath": "/tmp", "name": "tmp"} in container["volumeMounts"]  # noqa: S108 -- what is writable
        assert container["resources"]["limits"]["memory"]


def test_only_the_set_up_becomes_the_owner_of_the_tables() -> None:
    for workload in list_workloads(render_chart(EVERYTHING)):
        for container in read_pod(workload)["containers"]:
            given = {one["name"]: one for one in container.get("env", [])}
            if workload["kind"] == "Job":
                assert given["DATABASE_OWNER_URL"]["valueFrom"]["secretKeyRef"]["name"] == "memory-platform-owner"
            elif given:
                assert given["DATABASE_OWNER_URL"]["value"] == "postgresql://set-up-job-only@/nowhere"
                assert "SUPERUSER_URL" not in given


def test_no_secret_stands_in_the_objects() -> None:
    secret = {"DATABASE_URL", "SECRET_KEY", "KEY_PEPPER", "UPSTREAM_KEYS", "REDIS_URL", "CELERY_BROKER_URL"}
    for container in list_containers(render_chart(EVERYTHING)):
        assert not secret & {one["name"] for one in container.get("env", [])}


def test_every_variable_is_one_that_the_programs_read() -> None:
    known = {name.upper() for name in Environment.model_fields} | {"POD_IP", "SUPERUSER_URL"}
    for container in list_containers(render_chart(EVERYTHING)):
        names = [one["name"] for one in container.get("env", [])]
        assert set(names) <= known
        assert len(names) == len(set(names))


def test_the_programs_are_those_of_the_compose_file() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    objects = render_chart()
    for name in ("worker", "beat"):
        pod = read_pod(find_object(objects, "Deployment", f"demo-memory-platform-{name}"))
        assert pod["containers"][0]["args"] == services[name]["command"]
    web = read_pod(find_object(objects, "Deployment", "demo-memory-platform-web"))["containers"][0]
    image = re.findall(r'"([^"]+)"', (ROOT / "Dockerfile").read_text().split("\nCMD ")[1])
    assert re.split(r"[= ]", " ".join(web["args"])) == image


def test_the_web_answers_probes_under_names_that_it_knows() -> None:
    web = read_pod(find_object(render_chart(), "Deployment", "demo-memory-platform-web"))["containers"][0]
    probes = {name: web[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {name: probe["path"] for name, probe in probes.items()} == {
        "startupProbe": "/health/live",
        "livenessProbe": "/health/live",
        "readinessProbe": "/health/ready",
    }
    hosts = next(one["value"] for one in web["env"] if one["name"] == "ALLOWED_HOSTS").split(",")
    for probe in probes.values():
        assert probe["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
    assert {"localhost", "$(POD_IP)", "memory.example.com"} <= set(hosts)
    assert "*" not in hosts


def find_collectors(values: dict[str, Any]) -> dict[str, str | None]:
    """Return where each program sends its traces."""
    return {
        one["metadata"]["name"].removeprefix("demo-memory-platform-"): next(
            (entry["value"] for entry in read_pod(one)["containers"][0]["env"] if entry["name"] == TRACES_TO), None
        )
        for one in list_workloads(render_chart(values))
    }


def test_traces_go_to_the_collector_that_is_named() -> None:
    collector = "http://collector:4318"
    assert set(find_collectors({}).values()) == {None}
    assert (
        find_collectors({"tracing": {"endpoint": collector}}).items() >= {"web": collector, "worker": collector}.items()
    )
    assert re.search(r"^RUN make install.* tracing\b", (ROOT / "Dockerfile").read_text(), re.M), "what sends them"


@pytest.mark.parametrize("endpoint", ["collector:4318", "grpc://collector:4317"])
def test_an_address_that_traces_cannot_go_to_is_refused(endpoint: str) -> None:
    with pytest.raises(load_helm().HelmError):
        render_chart({"tracing": {"endpoint": endpoint}})


def test_there_is_one_beat_whatever_happens() -> None:
    beat = find_object(render_chart(EVERYTHING), "Deployment", "demo-memory-platform-beat")
    assert beat["spec"]["replicas"] == 1
    assert beat["spec"]["strategy"] == {"type": "Recreate"}


def test_scaling_leaves_the_number_of_pods_to_the_scaler() -> None:
    worker = find_object(render_chart(QUEUE_AGE), "Deployment", "demo-memory-platform-worker")
    assert "replicas" not in worker["spec"]
    scaler = find_object(render_chart(QUEUE_AGE), "HorizontalPodAutoscaler", "demo-memory-platform-worker")
    assert [metric["type"] for metric in scaler["spec"]["metrics"]] == ["External", "Resource"]
    assert [one["kind"] for one in render_chart(KEDA) if one["kind"] == "HorizontalPodAutoscaler"] == []
    scaled = find_object(render_chart(KEDA), "ScaledObject", "demo-memory-platform-worker")
    assert [trigger["type"] for trigger in scaled["spec"]["triggers"]] == ["prometheus", "cpu"]


def list_routes(patterns: list[URLPattern | URLResolver], before: str = "") -> list[str]:
    found = []
    for one in patterns:
        route = before + str(one.pattern).lstrip("^")
        found += list_routes(one.url_patterns, route) if isinstance(one, URLResolver) else [route]
    return found


def test_the_ingress_leads_to_all_but_metrics_and_health() -> None:
    """They need no key, so they stay inside the cluster."""
    ingress = find_object(render_chart(EVERYTHING), "Ingress", "demo-memory-platform")
    paths = ingress["spec"]["rules"][0]["http"]["paths"]
    prefixes = {path["path"].strip("/") for path in paths if path["pathType"] == "Prefix"}
    assert [path["path"] for path in paths if path["pathType"] == "Exact"] == ["/"]
    first_parts = {route.split("/")[0] for route in list_routes(get_resolver().url_patterns)}
    assert first_parts - prefixes == {"", "health", "metrics"}
    assert prefixes - first_parts == {"static"}
