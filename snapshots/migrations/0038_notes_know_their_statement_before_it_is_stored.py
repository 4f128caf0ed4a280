"""A note may be stored before its statement, by another kind of work: it names the statement all the same.

Held notes that had lost its name get it back from the messages behind both.
"""

from django.db import migrations, models

FREE = """
ALTER TABLE note DROP CONSTRAINT note_statement_id_tfk;
ALTER INDEX note_statement_id_tix RENAME TO note_of_statement;
"""
BIND = """
ALTER INDEX note_of_statement RENAME TO note_statement_id_tix;
"""
REPAIR = """
DO $$
DECLARE one uuid;
BEGIN
  FOR one IN SELECT id FROM tenant LOOP
    PERFORM set_config('app.tenant_id', one::text, true);
    UPDATE note n SET statement_id = told.statement FROM (
      SELECT DISTINCT ON (lost.id) lost.id AS note, s.id AS statement
      FROM note lost
      JOIN snapshot_source own ON own.tenant_id = lost.tenant_id AND own.memory_id = lost.snapshot_id
      JOIN message m ON m.tenant_id = lost.tenant_id AND m.id = own.message_id
      JOIN snapshot_source whole ON whole.tenant_id = lost.tenant_id AND whole.message_id = m.id
      JOIN snapshot s ON s.tenant_id = lost.tenant_id AND s.id = whole.memory_id AND s.kind = 'statement'
      WHERE lost.tenant_id = one AND lost.statement_id IS NULL AND lost.span_start IS NOT NULL
      ORDER BY lost.id, m.said_at, m.seq
    ) told WHERE n.tenant_id = one AND n.id = told.note;
  END LOOP;
  PERFORM set_config('app.tenant_id', '', true);
END $$
"""
"""The first message behind a note is the one that it was read in; what was said again came later."""


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0037_receipts_name_their_makers")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(FREE, BIND)],
            state_operations=[
                migrations.RemoveField("note", "statement"),
                migrations.AddField("note", "statement_id", models.UUIDField(blank=True, editable=False, null=True)),
                migrations.AddIndex("note", models.Index(fields=["tenant", "statement_id"], name="note_of_statement")),
            ],
        ),
        migrations.RunSQL(REPAIR, migrations.RunSQL.noop),
    ]
