"""Each tenant has a version of its policy for release 2; experiments keep the values that they began with.

A version says what it overrides, so that a release with other defaults would give an old number a new meaning. The
version is made for the tenants that are there, says what the active one says, and steers from now on. Arms of
experiments that have not ended answer under versions that spell out the defaults of release 1, as far as a policy can
set them. What a release decides beside its defaults (readers, relevance, how prompts are written) is no policy:
receipts name it (``made_by``).
"""

import json

from django.db import migrations

RELEASE = "defaults of release 2"
SPELLED_OUT = "defaults of release 1, spelled out for an experiment"
FIRST_DEFAULTS = {
    "memory": 2000,
    "profile": 300,
    "detect_phase": True,
    "tier_by_intent": {
        "small_talk": "light",
        "navigation": "light",
        "preference_confirmation": "light",
        "task": "middle",
        "knowledge": "middle",
        "recommendation": "strong",
        "complaint": "strong",
    },
}
"""The fields of ``context`` whose defaults release 2 changed, with those of release 1."""

ADD_VERSIONS = f"""
DO $do$
DECLARE
  scope text := coalesce(current_setting('app.tenant_id', true), '');
  held record; trial record; arm jsonb; made jsonb; newest integer; under integer; spelled jsonb;
BEGIN
  FOR held IN SELECT id FROM tenant ORDER BY id LOOP
    PERFORM set_config('app.tenant_id', held.id::text, true);
    PERFORM 1 FROM tenant WHERE id = held.id FOR NO KEY UPDATE;
    CONTINUE WHEN EXISTS (SELECT FROM policy_version WHERE tenant_id = held.id AND reason = '{RELEASE}');
    SELECT max(number) INTO newest FROM policy_version WHERE tenant_id = held.id;
    CONTINUE WHEN newest IS NULL;
    spelled := '{{}}';
    FOR trial IN SELECT id, e.arms AS before FROM experiment e
                 WHERE e.tenant_id = held.id AND e.status <> 'ended' ORDER BY e.created_at, e.id LOOP
      made := '[]';
      FOR arm IN SELECT * FROM jsonb_array_elements(trial.before) LOOP
        under := (arm ->> 'policy_version')::integer;
        IF NOT spelled ? under::text THEN
          newest := newest + 1;
          INSERT INTO policy_version (tenant_id, id, number, document, based_on, reason, author, created_at)
          SELECT held.id, gen_random_uuid(), newest, document || jsonb_build_object(
                   'context', '{json.dumps(FIRST_DEFAULTS)}'::jsonb || coalesce(document -> 'context', '{{}}')),
                 number, '{SPELLED_OUT}', '', now()
          FROM policy_version WHERE tenant_id = held.id AND number = under;
          spelled := spelled || jsonb_build_object(under::text, newest);
        END IF;
        made := made || jsonb_build_array(arm || jsonb_build_object('policy_version', spelled -> under::text));
      END LOOP;
      UPDATE experiment SET arms = made, version = version + 1
      WHERE tenant_id = held.id AND id = trial.id;
    END LOOP;
    INSERT INTO policy_version (tenant_id, id, number, document, based_on, reason, author, created_at)
    SELECT held.id, gen_random_uuid(), newest + 1, v.document, v.number, '{RELEASE}', '', now()
    FROM policy_version v JOIN tenant t ON t.id = v.tenant_id AND t.policy_version = v.number
    WHERE v.tenant_id = held.id;
    UPDATE tenant SET policy_version = newest + 1, policy_epoch = policy_epoch + 1 WHERE id = held.id;
  END LOOP;
  PERFORM set_config('app.tenant_id', scope, true);
END $do$
"""  # noqa: S608  # made of constants


class Migration(migrations.Migration):
    dependencies = [("tenants", "0010_prefixes_kept_by_vendors_are_in_the_ledger")]

    operations = [migrations.RunSQL(ADD_VERSIONS, migrations.RunSQL.noop)]
