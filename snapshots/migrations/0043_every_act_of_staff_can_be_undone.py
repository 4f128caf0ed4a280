"""Acts that add a memory, keep it after a review or change what is vital are stored: new choices, no row changes."""

from django.db import migrations, models

VERBS = [
    ("confirmed", "confirmed"),
    ("corrected", "corrected"),
    ("merged", "merged"),
    ("retired", "retired"),
    ("added", "added"),
    ("kept", "kept after a review"),
    ("vital_changed", "vital changed"),
]


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0042_staff_corrections_are_told_apart")]

    operations = [
        migrations.AlterField(
            "memoryact", "verb", models.CharField(choices=VERBS, max_length=16, verbose_name="staff action")
        ),
    ]
