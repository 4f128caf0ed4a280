"""The fenced blocks of the pages, and who runs the code in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGES = ("README*.md", "CONTRIBUTING.md", "docs/**/*.md", "clients/*/README.md")
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)
CODE = frozenset({"sh", "console", "python", "sql"})
SHOWN = frozenset({"text", "diff", "json", "yaml", "http", "xml", "mermaid", "promql"})
SHELL = "tests/contracts/documents/test_shell_lines.py"


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its page below the root, its language, and its number among the page's blocks of code."""

    page: str
    language: str
    text: str
    number: int

    @property
    def name(self) -> str:
        """What the tables below call it."""
        return f"{self.page}#{self.number}"


# Pages whose shell lines are run from the first to the last: what one page sets, the next one does not know.
QUICK_PAGES = (
    "docs/api.md",
    "docs/memory/notes.md",
    "docs/memory/feedback.md",
    "docs/contexts/intent.md",
    "docs/memory/tools.md",
    "docs/memory/tasks.md",
    "docs/contexts/prompt-cache.md",
    "docs/webhooks.md",
    "docs/clients/coming-from.md",
)
# The same; they start programs, which takes seconds each.
SLOW_PAGES = (
    "README.md",
    "README.zh.md",
    "docs/one-memory.md",
    "docs/policies/policies.md",
    "docs/policies/experiments.md",
    "docs/operations/audit.md",
    "docs/operations/care.md",
    "docs/cost.md",
    "docs/contexts/documents-in-answers.md",
    "docs/contexts/documents.md",
    "docs/models/embedding.md",
)
# Blocks that another test runs, which has to name the page. A page alone stands for all of its blocks.
RUN_ELSEWHERE = {
    "README.md#4": "tests/clients/python/test_page.py",
    "README.zh.md#4": "tests/clients/python/test_page.py",
    "clients/python/README.md": "tests/clients/python/test_page.py",
    "docs/clients/python.md#2": "tests/clients/python/test_page.py",
    "docs/clients/langgraph.md#2": "tests/clients/python/langgraph/test_page.py",
    "docs/clients/memory-tool.md#2": "tests/clients/python/memory_tool/test_runner.py",
    "docs/clients/openai-agents.md": "tests/clients/python/agents_session/test_runner.py",
    "docs/clients/mcp.md#2": "tests/memory_platform/compat/mcp/test_clients_page.py",
    "docs/clients/importing.md": "tests/memory_platform/importers/test_page.py",
    "docs/clients/mem0.md": "tests/memory_platform/compat/mem0/test_page.py",
    "docs/clients/openai-proxy.md": "tests/memory_platform/compat/openai/test_page.py",
    "docs/operations/audit.md#3": "tests/contracts/documents/test_other_blocks.py",
    "docs/models/chat.md": "tests/contracts/documents/test_other_blocks.py",
    "docs/data/export-import.md": "tests/contracts/documents/test_other_blocks.py",
    "docs/operations/observability.md": "tests/deploy/test_serve_metrics.py",
    "docs/console/log-in.md": "tests/contracts/documents/test_other_blocks.py",
    "docs/contexts/prompt-cache.md#2": "tests/contracts/documents/test_other_blocks.py",
    "docs/in-your-project.md": "tests/flows/test_in_another_project.py",
    "docs/in-your-project.md#3": "tests/memory_platform/devstack/test_provision.py",
    "docs/operations/citus.md": "tests/memory_platform/postgres/test_citus_distribution.py",
    "docs/operations/replica.md": "tests/flows/servers/test_replica.py",
    "docs/operations/rabbitmq.md": "tests/flows/servers/test_rabbitmq.py",
    "docs/operations/restore.md": "tests/flows/test_restore.py",
    "docs/webhooks.md#2": "tests/snapshots/webhooks/test_page.py",
} | {f"docs/clients/python.md#{number}": "tests/clients/python/test_page.py" for number in range(3, 12)}
# Blocks that no test runs as they stand, each with the reason. `test_command_lines` reads their `manage.py` lines.
EXCEPTIONS = {
    "README.md#1": "CI runs make test; tests/memory_platform/devstack/test_stack.py starts what make run starts",
    "README.zh.md#1": "the same",
    "CONTRIBUTING.md#1": "the targets that CI itself runs",
    "clients/typescript/README.md#1": "fetches a package; tests/clients/test_typescript.py does it with the pinned one",
    "docs/clients/python.md#1": "installs into the reader's environment",
    "docs/clients/memory-tool.md#1": "installs into the reader's environment",
    "docs/clients/langgraph.md#1": "installs into the reader's environment",
    "docs/in-your-project.md#1": "installs into the reader's environment",
    "docs/clients/mcp.md#1": "the same command as in README.md, for one person",
    "docs/benchmarks.md#1": "an hour; tests/lab/management/commands/test_bench.py runs small worlds",
    "docs/evaluation.md#1": "hours; tests/lab/management/commands/evaluate runs small data",
    "docs/cost.md#2": "minutes; tests/lab/management/commands/test_simulate_cost.py runs few days",
    "docs/operations/deployment.md": "servers of one's own; tests/memory_platform/devstack/test_provision.py",
    "docs/operations/kubernetes.md": "a cluster of the reader's own; tests/deploy/test_chart.py renders the chart",
    "docs/operations/sizing.md": "minutes, beside a stack; tests/lab/benchmarks/test_unit_costs.py counts times",
    "docs/models/embedding-change.md": "two models; tests/memory_platform/management/commands/test_embedding_spaces.py",
}


def list_pages() -> list[str]:
    """Return the pages with blocks that somebody may paste, by their paths below the root."""
    found = {path.relative_to(ROOT) for pattern in PAGES for path in ROOT.glob(pattern)}
    return sorted(str(path) for path in found)


def read_blocks(page: str, text: str | None = None) -> Iterator[Block]:
    """Yield the fenced blocks of a page; those that only show something have the number 0."""
    number = 0
    text = (ROOT / page).read_text(encoding="utf-8") if text is None else text
    for found in FENCE.finditer(text):
        language = found["language"].strip()
        number += language not in SHOWN
        yield Block(page, language, found["text"], 0 if language in SHOWN else number)


def find_runner(block: Block) -> str | None:
    """Return the test that runs a block of code, a reason why none does, or None."""
    for name in (block.name, block.page):
        if name in RUN_ELSEWHERE:
            return RUN_ELSEWHERE[name]
        if name in EXCEPTIONS:
            return EXCEPTIONS[name]
    is_shell = block.language in {"sh", "console"}
    return SHELL if is_shell and block.page in (*QUICK_PAGES, *SLOW_PAGES) else None


def list_shell_lines(page: str) -> list[str]:
    """Return the shell blocks of a page that ``test_shell_lines`` runs; of a console only what is typed."""
    return [
        "".join(re.findall(r"^\$ (.*\n)", block.text, re.MULTILINE)) if block.language == "console" else block.text
        for block in read_blocks(page)
        if block.number and find_runner(block) == SHELL
    ]
