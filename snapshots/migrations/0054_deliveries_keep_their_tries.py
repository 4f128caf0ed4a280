"""Each try of a delivery is kept with the receiver's answer. The default is constant: no row is written anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0053_chunks_leave_the_index_first")]

    operations = [
        migrations.AddField("webhookdelivery", "tries", models.JSONField(db_default=[], default=list, editable=False)),
    ]
