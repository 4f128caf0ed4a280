"""Lasting things in the user's own words have a table of their own beside their snapshots (P9)."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0007_forgotten_beliefs_are_marked"),
        ("snapshots", "0028_staff_see_the_newest_snapshots_first"),
        ("tenants", "0010_prefixes_kept_by_vendors_are_in_the_ledger"),
    ]

    operations = [
        migrations.AlterField(
            model_name="snapshot",
            name="kind",
            field=models.CharField(
                choices=[
                    ("conversation", "conversation"),
                    ("segment", "segment"),
                    ("statement", "statement"),
                    ("episode", "episode"),
                    ("consolidated", "consolidated"),
                    ("manual", "manual"),
                    ("note", "note"),
                ],
                max_length=16,
                verbose_name="kind",
            ),
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "grade",
                    models.CharField(
                        choices=[
                            ("fact", "fact"),
                            ("about_other", "fact about another"),
                            ("habit", "habit"),
                            ("limit", "limit"),
                            ("plan", "plan"),
                        ],
                        max_length=16,
                        verbose_name="grade",
                    ),
                ),
                (
                    "grade_probability",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="probability that it lasts",
                    ),
                ),
                (
                    "about_kind",
                    models.CharField(
                        choices=[("self", "the user"), ("contact", "a contact"), ("thing", "a thing")],
                        default="self",
                        max_length=8,
                        verbose_name="about",
                    ),
                ),
                ("about_label", models.CharField(blank=True, max_length=100, verbose_name="about whom or what")),
                ("relation", models.CharField(blank=True, max_length=100, verbose_name="relation")),
                (
                    "vital_class",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("allergy", "allergy or intolerance"),
                            ("illness", "illness or medicine"),
                            ("accessibility", "accessibility"),
                            ("safety", "safety of a child or in traffic"),
                            ("emergency", "emergency contact"),
                            ("legal", "legal or contractual bar"),
                        ],
                        max_length=16,
                        verbose_name="vital",
                    ),
                ),
                ("possibly_outdated", models.BooleanField(default=False, verbose_name="possibly outdated")),
                ("review_by", models.DateTimeField(blank=True, null=True, verbose_name="review by")),
                ("context", models.TextField(blank=True, verbose_name="turn before")),
                ("span_start", models.PositiveIntegerField(blank=True, editable=False, null=True)),
                ("span_end", models.PositiveIntegerField(blank=True, editable=False, null=True)),
                ("reader_version", models.CharField(blank=True, max_length=32, verbose_name="reader")),
                (
                    "about_tag",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.tag",
                        verbose_name="contact",
                    ),
                ),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                        verbose_name="snapshot",
                    ),
                ),
                (
                    "statement",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                        verbose_name="statement",
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
                "verbose_name": "note",
                "verbose_name_plural": "notes",
                "db_table": "note",
                "ordering": ("id",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(
                        condition=models.Q(("vital_class", ""), _negated=True),
                        fields=["tenant", "subject"],
                        name="note_that_is_vital",
                    )
                ],
                "constraints": [models.UniqueConstraint(fields=("tenant", "snapshot"), name="one_note_per_snapshot")],
            },
        ),
        Protect("Note", set_null=("statement", "about_tag")),
    ]
