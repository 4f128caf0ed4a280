"""The list of a tenant's conversations is read in its order, without sorting all of them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0054_deliveries_keep_their_tries")]

    operations = [
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["tenant", "-last_accepted_at", "-id"], name="conversation_by_last_message"),
        ),
    ]
