from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("snapshots", "0033_notes_are_linked_to_slots"),
    ]

    operations = [
        migrations.AddField(
            model_name="note",
            name="newer",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
    ]
