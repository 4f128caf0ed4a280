"""A chunk that the index still holds cannot be deleted, not even by a cascade: its postings would stay."""

from django.db import migrations

KEY = "indexed_chunk_chunk_id_tfk"
CHANGE = (
    f"ALTER TABLE indexed_chunk DROP CONSTRAINT {KEY}, ADD CONSTRAINT {KEY} FOREIGN KEY (tenant_id, chunk_id) "
    "REFERENCES document_chunk (tenant_id, id)"
)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0052_work_names_the_trace_that_left_it")]

    operations = [
        # Checked at the end of the transaction: a deleted tenant takes both tables with it.
        migrations.RunSQL(f"{CHANGE} ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED", f"{CHANGE} ON DELETE CASCADE"),
    ]
