"""Large metadata is stored as it is, so that Postgres knows its size without reading it: see recall.metadata.

What was stored before stays compressed, and counts for less than it is.
"""

from django.db import migrations

AS_IT_IS = "ALTER TABLE snapshot ALTER COLUMN metadata SET STORAGE EXTERNAL"
COMPRESSED = "ALTER TABLE snapshot ALTER COLUMN metadata SET STORAGE EXTENDED"


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0014_due_work_is_what_can_be_claimed")]

    operations = [migrations.RunSQL(AS_IT_IS, COMPRESSED)]
