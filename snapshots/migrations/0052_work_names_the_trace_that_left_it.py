"""A trace goes on in the worker: a column that is empty while traces are off."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0051_prompts_go_with_their_documents")]

    operations = [
        migrations.AddField(
            "work", "trace_parent", models.CharField(blank=True, editable=False, max_length=55, null=True)
        ),
    ]
