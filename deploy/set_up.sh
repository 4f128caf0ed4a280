#!/bin/sh
# What runs before the service. compose.yaml: `secrets` makes what must stay secret, `database` makes roles, tables, the
# console's operator and the first tenant with its key. The chart: `tables` makes the tables of a database whose addresses
# it is given. All are safe to repeat: what is there stays as it is.
set -eu
secrets=${SECRETS:-/secrets}
random() { python -c 'import secrets; print(secrets.token_urlsafe(36))'; }

make_secrets() {
    [ -s "$secrets/postgres" ] || random > "$secrets/postgres"
    # Postgres reads its password as a user of its own, who must not read the rest of the volume.
    chmod 644 "$secrets/postgres"
    [ -s "$secrets/keys.env" ] || {
        for name in SECRET_KEY KEY_PEPPER UPSTREAM_KEYS; do
            printf "export %s='%s'\n" "$name" "$(random)"
        done > "$secrets/keys.env.new"
        mv "$secrets/keys.env.new" "$secrets/keys.env"
    }
}

make_database() {
    superuser=${SUPERUSER_URL:-postgresql://postgres:$(cat "$secrets/postgres")@postgres/postgres}
    if [ ! -s "$secrets/memory.env" ]; then
        # Until the file is whole its roles are made anew, with new passwords.
        python manage.py provision --superuser-url "$superuser" |
            sed -n "s/^\(DATABASE.*URL\)=\(.*\)/export \1='\2'/p" > "$secrets/memory.env.new"
        cat >> "$secrets/memory.env.new" <<END
export REDIS_URL='${REDIS_URL:-redis://redis:6379/0}'
export CELERY_BROKER_URL='${CELERY_BROKER_URL:-redis://redis:6379/1}'
END
        cat "$secrets/keys.env" >> "$secrets/memory.env.new"
        mv "$secrets/memory.env.new" "$secrets/memory.env"
    fi
    . "$secrets/memory.env"
    SUPERUSER_URL=$superuser make_tables
    [ -e "$secrets/first_tenant" ] || make_first_tenant
}

# With a superuser, brings roles and their rights up to date, too.
make_tables() {
    [ -z "${SUPERUSER_URL:-}" ] ||
        python manage.py provision --keep-passwords --superuser-url "$SUPERUSER_URL" > /dev/null
    python manage.py migrate --database owner
}

make_first_tenant() {
    tenant=${FIRST_TENANT:-acme}
    password=${OPERATOR_PASSWORD:-$(random)}
    DJANGO_SUPERUSER_PASSWORD=$password python manage.py createsuperuser --noinput --username operator \
        --email "${OPERATOR_EMAIL:-operator@localhost}"
    python manage.py create_tenant "$tenant"
    key=$(python manage.py create_key --tenant "$tenant")
    touch "$secrets/first_tenant"
    echo "Shown this once, keep them:"
    echo "  console    user operator, password $password"
    echo "  API key    $key (tenant $tenant)"
}

umask 077
case ${1:-} in
    secrets) make_secrets ;;
    database) make_database ;;
    tables) make_tables ;;
    *) echo "set_up.sh: say what to make: secrets, database or tables." >&2; exit 2 ;;
esac
