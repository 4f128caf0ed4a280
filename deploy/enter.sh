#!/bin/sh
# Starts any program of the image, with the environment that set_up.sh made if none was given.
set -eu
if [ -z "${DATABASE_URL:-}" ] && [ -s "${SECRETS:-/secrets}/memory.env" ]; then
    . "${SECRETS:-/secrets}/memory.env"
fi
rm -rf "${PROMETHEUS_MULTIPROC_DIR:?}"
mkdir -p "$PROMETHEUS_MULTIPROC_DIR"
exec "$@"
