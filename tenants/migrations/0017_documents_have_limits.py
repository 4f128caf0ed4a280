"""A tenant has limits of its documents, their bytes and their chunks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0016_calls_go_on_to_upstreams"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="usagelimit",
            name="a_key_limits_its_requests_only",
        ),
        migrations.AddField(
            model_name="usagelimit",
            name="document_bytes",
            field=models.PositiveBigIntegerField(blank=True, null=True, verbose_name="bytes of documents"),
        ),
        migrations.AddField(
            model_name="usagelimit",
            name="stored_chunks",
            field=models.PositiveBigIntegerField(blank=True, null=True, verbose_name="chunks of documents"),
        ),
        migrations.AddField(
            model_name="usagelimit",
            name="stored_documents",
            field=models.PositiveBigIntegerField(blank=True, null=True, verbose_name="stored documents"),
        ),
        migrations.AddConstraint(
            model_name="usagelimit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("api_key__isnull", True),
                    models.Q(
                        ("document_bytes__isnull", True),
                        ("messages_per_day__isnull", True),
                        ("model_tokens_per_day__isnull", True),
                        ("stored_chunks__isnull", True),
                        ("stored_documents__isnull", True),
                        ("stored_snapshots__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="a_key_limits_its_requests_only",
                violation_error_message="A key limits only its requests. Set other limits for the whole tenant.",
            ),
        ),
    ]
