"""What was used by the day, written with what used it and added up later; prices of models, with examples."""

from datetime import date

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
from tenants.isolation.protect import Protect

SOURCE = "developers.openai.com/api/docs/models and docs.github.com models-and-pricing, read on 2026-11-22"
EXAMPLES = (
    ("light", "gpt-5-nano", "0.05", "0.005", "0.40"),
    ("middle", "gpt-5-mini", "0.25", "0.025", "2.00"),
    ("strong", "gpt-5.2", "1.75", "0.175", "14.00"),
)


def add_examples(apps, schema_editor):
    """Begin with list prices that somebody may check; an operator puts those of the own contract in their place."""
    prices = apps.get_model("tenants", "ModelPrice").objects.using(schema_editor.connection.alias)
    for tier, model, read, cached, written in EXAMPLES:
        money = {"input": read, "cached_input": cached, "output": written, "currency": "USD"}
        told = {"valid_from": date(2026, 1, 1), "source": SOURCE, "is_example": True}
        prices.create(tier=tier, model=model, **money, **told)


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0006_tenants_and_keys_have_limits"),
    ]

    operations = [
        migrations.CreateModel(
            name="ModelPrice",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "tier",
                    models.CharField(
                        choices=[("light", "light"), ("middle", "middle"), ("strong", "strong")],
                        max_length=16,
                        verbose_name="tier",
                    ),
                ),
                ("model", models.CharField(max_length=200, verbose_name="model")),
                (
                    "currency",
                    models.CharField(
                        max_length=3,
                        validators=[
                            django.core.validators.RegexValidator("^[A-Z]{3}$", "Three capital letters, such as USD.")
                        ],
                        verbose_name="currency",
                    ),
                ),
                (
                    "input",
                    models.DecimalField(
                        decimal_places=6,
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="input, per 1M tokens",
                    ),
                ),
                (
                    "cached_input",
                    models.DecimalField(
                        decimal_places=6,
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="cached input, per 1M tokens",
                    ),
                ),
                (
                    "output",
                    models.DecimalField(
                        decimal_places=6,
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="output, per 1M tokens",
                    ),
                ),
                ("valid_from", models.DateField(verbose_name="valid from")),
                ("source", models.CharField(blank=True, max_length=300, verbose_name="source")),
                ("is_example", models.BooleanField(default=False, verbose_name="example")),
            ],
            options={
                "verbose_name": "model price",
                "verbose_name_plural": "model prices",
                "db_table": "model_price",
                "ordering": ("tier", "-valid_from", "model"),
                "constraints": [
                    models.UniqueConstraint(fields=("tier", "model", "valid_from"), name="one_price_per_day")
                ],
            },
        ),
        migrations.CreateModel(
            name="UsageEvent",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("messages", models.PositiveIntegerField(default=0)),
                ("contexts", models.PositiveIntegerField(default=0)),
                ("tokens_in_context", models.PositiveBigIntegerField(default=0)),
                ("tokens_full_history", models.PositiveBigIntegerField(default=0)),
                ("sections", models.JSONField(default=list)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        default=tenants.isolation.scope.current_tenant_id,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "usage_event",
                "ordering": ("id",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="UsageDay",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField(verbose_name="day")),
                ("requests", models.PositiveBigIntegerField(default=0, verbose_name="requests")),
                ("refused", models.PositiveBigIntegerField(default=0, verbose_name="refused")),
                ("messages", models.PositiveBigIntegerField(default=0, verbose_name="messages")),
                ("contexts", models.PositiveBigIntegerField(default=0, verbose_name="contexts")),
                ("tokens_in_context", models.PositiveBigIntegerField(default=0, verbose_name="tokens in contexts")),
                (
                    "tokens_full_history",
                    models.PositiveBigIntegerField(default=0, verbose_name="tokens of the full history"),
                ),
                ("sections", models.JSONField(default=dict, verbose_name="tokens by section")),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        default=tenants.isolation.scope.current_tenant_id,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "day of use",
                "verbose_name_plural": "usage and cost",
                "db_table": "usage_day",
                "ordering": ("-day",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "day"), name="one_usage_per_day")],
            },
        ),
        migrations.CreateModel(
            name="UsageRequests",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField()),
                ("epoch", models.CharField(max_length=20)),
                ("requests", models.PositiveBigIntegerField(default=0)),
                ("refused", models.PositiveBigIntegerField(default=0)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        default=tenants.isolation.scope.current_tenant_id,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "usage_requests",
                "ordering": ("day", "epoch"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "day", "epoch"), name="one_count_per_day_and_epoch")
                ],
            },
        ),
        Protect("UsageEvent"),
        Protect("UsageRequests"),
        Protect("UsageDay"),
        migrations.RunPython(add_examples, migrations.RunPython.noop),
    ]
