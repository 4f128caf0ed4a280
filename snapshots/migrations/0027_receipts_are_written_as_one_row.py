"""A receipt is written as one row: candidates packed, and the memories in it waiting for rows of their own.

Nothing is moved: receipts of before keep their candidates and their rows, and are read as they are.
"""

from django.db import migrations, models

AS_IT_IS = "ALTER TABLE receipt ALTER COLUMN packed SET STORAGE EXTERNAL, ALTER COLUMN rendered SET STORAGE EXTERNAL"
"""Both come compressed: Postgres would try in vain, at every receipt."""
EXTENDED = "ALTER TABLE receipt ALTER COLUMN rendered SET STORAGE EXTENDED"


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0026_operators_see_work_by_tenant")]

    operations = [
        migrations.AddField("receipt", "packed", models.BinaryField(editable=False, null=True)),
        migrations.AddField("receipt", "due", models.JSONField(blank=True, editable=False, null=True)),
        migrations.AddIndex(
            "receipt",
            models.Index(
                condition=models.Q(("due__isnull", False)), fields=["tenant", "subject"], name="receipt_without_rows"
            ),
        ),
        migrations.RunSQL(AS_IT_IS, EXTENDED),
    ]
