"""What the details of tags have been is kept on two clocks, behind the tenant wall (P6, P10)."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0007_forgotten_beliefs_are_marked"),
        ("tenants", "0010_prefixes_kept_by_vendors_are_in_the_ledger"),
    ]

    operations = [
        migrations.AlterField(
            model_name="tag",
            name="kind",
            field=models.CharField(
                choices=[("place", "place"), ("contact", "contact"), ("thing", "thing")],
                max_length=16,
                verbose_name="kind",
            ),
        ),
        migrations.CreateModel(
            name="TagDetail",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("value", models.JSONField(verbose_name="value")),
                (
                    "confidence",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="confidence",
                    ),
                ),
                (
                    "provenance",
                    models.CharField(
                        choices=[
                            ("observation", "observation"),
                            ("analysis", "analysis"),
                            ("confirmed_by_user", "confirmed by user"),
                        ],
                        max_length=20,
                        verbose_name="provenance",
                    ),
                ),
                ("valid_at", models.DateTimeField(verbose_name="valid at")),
                ("invalid_at", models.DateTimeField(blank=True, null=True, verbose_name="invalid at")),
                ("recorded_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="recorded at")),
                ("retired_at", models.DateTimeField(blank=True, null=True, verbose_name="retired at")),
                (
                    "last_validated_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="last validated at"),
                ),
                (
                    "said_times",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateTimeField(),
                        blank=True,
                        default=list,
                        editable=False,
                        size=None,
                        verbose_name="said at",
                    ),
                ),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                (
                    "detail",
                    models.CharField(
                        choices=[
                            ("label", "label"),
                            ("kind", "kind"),
                            ("address", "address"),
                            ("poi_id", "POI id"),
                            ("lat", "latitude"),
                            ("lon", "longitude"),
                            ("phone", "phone"),
                            ("relation", "relation"),
                            ("aliases", "aliases"),
                        ],
                        max_length=16,
                        verbose_name="detail",
                    ),
                ),
                (
                    "subject",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.subject",
                        verbose_name="subject",
                    ),
                ),
                (
                    "superseded_by",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.tagdetail",
                        verbose_name="superseded by",
                    ),
                ),
                (
                    "tag",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.tag",
                        verbose_name="tag",
                    ),
                ),
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
                (
                    "version_of",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.tagdetail",
                        verbose_name="version of",
                    ),
                ),
            ],
            options={
                "verbose_name": "detail of a tag",
                "verbose_name_plural": "details of tags",
                "db_table": "tag_detail",
                "ordering": ("detail", "-valid_at", "-recorded_at"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "tag", "detail"], name="tag_detail_by_tag")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("invalid_at__isnull", True), ("retired_at__isnull", True)),
                        fields=("tenant", "tag", "detail"),
                        name="one_current_value_per_detail",
                    )
                ],
            },
        ),
        Protect("TagDetail", set_null=("superseded_by",)),
    ]
