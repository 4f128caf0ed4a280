"""What a subject's whole history would cost is summed from an index alone, by every context.

Measured at 1,030 messages: 0.19 ms from the rows, 0.10 ms from the index, 0.04 of either for the round trip. The index
takes the place of the one of the foreign key, which it begins with.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0018_restored_conversations_stay_for_a_while")]

    operations = [
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["tenant", "subject"], include=["tokens"], name="message_sizes"),
        ),
        migrations.RunSQL(
            "DROP INDEX IF EXISTS message_subject_id_tix",
            "CREATE INDEX IF NOT EXISTS message_subject_id_tix ON message (tenant_id, subject_id)",
        ),
    ]
