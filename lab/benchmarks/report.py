"""A run as a table for people and as one JSON file."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from django.db import connection

from lab.benchmarks.load.measurement_rounds import SELECT, Cell
from lab.benchmarks.load.timings import Slice, cell_timings, percentile, ratio
from lab.benchmarks.peer_stores import PeerSeen
from memory_platform.kernel.clock import utc_now

# Raised when a field changes its meaning or goes; a new field leaves it alone.
FORMAT = 1

HEAD = ("what", "state", "snapshots", "clients", "n", "p50 ms", "p95", "p99", "per s", "x SELECT 1", "CPU", "stages ms")
CPU_INFO = Path("/proc/cpuinfo")


def describe_machine() -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        postgres = cursor.fetchone()[0]
    return {
        "processor": read_processor_name(),
        "processors": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "postgres": postgres,
        "load_before": [round(one, 2) for one in psutil.getloadavg()],
    }


def read_processor_name() -> str:
    lines = CPU_INFO.read_text().splitlines() if CPU_INFO.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor()


def describe_run(
    measured: Mapping[Cell, Sequence[Slice]], peers: Sequence[PeerSeen], settled_ms: Sequence[float], **parts: Any
) -> dict[str, Any]:
    """Return the run as plain values; ratios are to ``SELECT 1`` of the same number of clients."""
    figures = {
        cell: found for cell, slices in measured.items() if (found := cell_timings(slices, pooled=cell.is_pooled))
    }
    floors = {cell.clients: one.p50_ms for cell, one in figures.items() if cell.what == SELECT}
    return {
        "format": FORMAT,
        "at": utc_now(),
        **parts,
        "cells": [
            {**asdict(cell), **asdict(one), "x_select_1": ratio(one.p50_ms, floors.get(cell.clients))}
            for cell, one in sorted(figures.items(), key=lambda item: _sort_key(item[0]))
        ],
        "settled_ms": {"n": len(settled_ms), "p50": median(settled_ms), "p95": percentile(settled_ms, 95)}
        if settled_ms
        else None,
        "peers": [asdict(peer) for peer in peers],
    }


def render_table(run: Mapping[str, Any]) -> str:
    rows = [HEAD, tuple("-" * len(name) for name in HEAD), *(_make_row(cell) for cell in run["cells"])]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if settled := run["settled_ms"]:
        lines.append(
            f"\nA posted message was remembered after {settled['p50']:.0f} ms (median of {settled['n']}; "
            f"95 % within {settled['p95']:.0f})."
        )
    for peer in run["peers"]:
        told = peer["refused"] and f"not measured: {peer['refused']}"
        lines.append(f"{peer['store']}: {told or ', '.join(filter(None, (peer['version'], peer['notes'])))}")
    return "\n".join(lines)


def _make_row(cell: Mapping[str, Any]) -> tuple[str, ...]:
    stages = ", ".join(f"{name} {ms:.2f}" for name, ms in cell["stages_ms"].items() if name != "found")
    failed = f" ({cell['failed']} failed)" if cell["failed"] else ""
    return (
        cell["what"],
        cell["state"],
        f"{cell['size']:,}" if cell["size"] else "",
        str(cell["clients"]),
        f"{cell['answers']:,}{failed}",
        *(_number(cell[name]) for name in ("p50_ms", "p95_ms", "p99_ms")),
        f"{cell['per_second']:,.0f}",
        _number(cell["x_select_1"]),
        f"{cell['client_cpu']:.2f}",
        stages,
    )


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"  # noqa: PLR2004 - three digits


def _sort_key(cell: Cell) -> tuple[object, ...]:
    return (cell.size > 0, cell.what, cell.state, cell.size, cell.clients)
