# One image for web, worker, beat and set-up. BASE may be any image with Python 3.11 and, for the first stage, make.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS packages
RUN command -v make >/dev/null || { apt-get update -q && apt-get install -q -y --no-install-recommends make; }
WORKDIR /app
COPY Makefile pyproject.toml constraints.txt ./
RUN make install tracing VENV=/opt/memory

FROM ${BASE}
RUN useradd --system --uid 10001 --user-group --no-create-home memory && install -d -o memory -g memory /secrets
COPY --from=packages /opt/memory /opt/memory
WORKDIR /app
COPY . .
ENV PATH=/opt/memory/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp \
    PROMETHEUS_MULTIPROC_DIR=/tmp/metrics
USER 10001:10001
EXPOSE 8000
ENTRYPOINT ["sh", "/app/deploy/enter.sh"]
CMD ["gunicorn", "memory_platform.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4", \
     "--limit-request-line", "8190", "--worker-tmp-dir", "/tmp"]
