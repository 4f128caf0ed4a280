"""All tables of snapshots as a new database gets them: conversations, memories, notes, receipts, work and figures.

A database that has some of the replaced migrations goes on with them; their SQL is taken from them.
"""

from importlib import import_module

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.functions.datetime
import django.utils.timezone
import pgvector.django.halfvec
from django.db import migrations, models

import tenants.models.base
from tenants.isolation.protect import MakeIndexes, Protect, app_role
from tenants.migrations._fields import identity, of_subject, of_tenant

DUE_WORK = import_module("snapshots.migrations.0017_due_work_has_summaries")
BACKLOG = import_module("snapshots.migrations.0007_backlog_of_the_platform")
BY_TENANT = import_module("snapshots.migrations.0026_operators_see_work_by_tenant")
BLOCKS = import_module("snapshots.migrations.0010_large_memories_are_sealed_in_blocks")
METADATA = import_module("snapshots.migrations.0015_metadata_is_stored_as_it_is")
RECEIPTS = import_module("snapshots.migrations.0027_receipts_are_written_as_one_row")
# The default of `work.position` calls the sequence, so it is made before the table that owns it.
POSITIONS = "CREATE SEQUENCE work_position"
POSITIONS_OF_WORK = f"""
ALTER SEQUENCE work_position OWNED BY work.position;
GRANT USAGE ON SEQUENCE work_position TO {app_role()};
"""


class Migration(migrations.Migration):
    replaces = [
        ("snapshots", "0001_conversations_snapshots_receipts_and_work"),
        ("snapshots", "0002_wall_around_snapshots"),
        ("snapshots", "0003_work_positions_and_queue_indexes"),
        ("snapshots", "0004_words_know_their_language"),
        ("snapshots", "0005_receipts_with_text_index"),
        ("snapshots", "0006_sweep_probes_indexes"),
        ("snapshots", "0007_backlog_of_the_platform"),
        ("snapshots", "0008_embedding_spaces_know_what_they_hold"),
        ("snapshots", "0009_memory_counts_its_epochs"),
        ("snapshots", "0010_large_memories_are_sealed_in_blocks"),
        ("snapshots", "0011_spaces_learn_their_floor"),
        ("snapshots", "0012_a_saying_knows_its_repeats"),
        ("snapshots", "0013_memories_are_cared_for"),
        ("snapshots", "0014_due_work_is_what_can_be_claimed"),
        ("snapshots", "0015_metadata_is_stored_as_it_is"),
        ("snapshots", "0016_each_reader_has_its_own_blocks"),
        ("snapshots", "0017_due_work_has_summaries"),
        ("snapshots", "0018_restored_conversations_stay_for_a_while"),
        ("snapshots", "0019_history_is_summed_from_an_index"),
        ("snapshots", "0020_answers_tell_which_model_they_call_for"),
        ("snapshots", "0021_receipts_know_their_arm"),
        ("snapshots", "0022_agents_have_tasks_and_episodes"),
        ("snapshots", "0023_vendors_keep_prefixes"),
        ("snapshots", "0024_staff_acts_can_be_undone"),
        ("snapshots", "0025_waiting_is_told_by_the_day"),
        ("snapshots", "0026_operators_see_work_by_tenant"),
        ("snapshots", "0027_receipts_are_written_as_one_row"),
        ("snapshots", "0028_staff_see_the_newest_snapshots_first"),
        ("snapshots", "0029_notes_stand_behind_the_wall"),
        ("snapshots", "0030_what_users_had_forgotten_can_come_back"),
        ("snapshots", "0031_what_the_assistant_said_keeps_its_place"),
        ("snapshots", "0032_notes_know_what_ended_them"),
        ("snapshots", "0033_notes_are_linked_to_slots"),
        ("snapshots", "0034_notes_know_what_is_newer"),
        ("snapshots", "0035_memories_have_other_names"),
        ("snapshots", "0036_spaces_have_no_learnt_floor"),
        ("snapshots", "0037_receipts_name_their_makers"),
        ("snapshots", "0038_notes_know_their_statement_before_it_is_stored"),
        ("snapshots", "0039_make_notes_knows_how_far_it_has_read"),
        ("snapshots", "0040_messages_know_their_speakers_clock"),
        ("snapshots", "0041_receipts_say_why_a_context_abstained"),
    ]

    initial = True

    dependencies = [
        ("profiles", "0001_squashed_0008_subjects_and_beliefs_behind_the_wall"),
        ("tenants", "0001_squashed_0011_tenants_keys_policies_and_usage_behind_the_wall"),
    ]

    operations = [
        migrations.RunSQL(POSITIONS, migrations.RunSQL.noop),
        migrations.CreateModel(
            name="EmbeddingSpace",
            fields=[
                identity(),
                ("name", models.CharField(max_length=200, unique=True, verbose_name="name")),
                ("dimensions", models.PositiveIntegerField(verbose_name="dimensions")),
                (
                    "languages",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="languages",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                ("is_listed", models.BooleanField(editable=False, null=True, verbose_name="listed")),
                ("held", models.PositiveBigIntegerField(editable=False, null=True, verbose_name="memories included")),
                (
                    "belonging",
                    models.PositiveBigIntegerField(editable=False, null=True, verbose_name="memories expected"),
                ),
                (
                    "missing",
                    models.PositiveBigIntegerField(editable=False, null=True, verbose_name="memories missing"),
                ),
                ("oldest_missing_at", models.DateTimeField(editable=False, null=True, verbose_name="oldest missing memory")),
                ("counted_at", models.DateTimeField(editable=False, null=True, verbose_name="counted at")),
            ],
            options={
                "verbose_name": "embedding space",
                "verbose_name_plural": "embedding spaces",
                "db_table": "embedding_space",
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="Conversation",
            fields=[
                identity(),
                ("external_id", models.CharField(max_length=200, verbose_name="conversation id")),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "open"), ("ended", "ended")],
                        default="open",
                        max_length=8,
                        verbose_name="status",
                    ),
                ),
                ("remember", models.BooleanField(default=True, verbose_name="remember")),
                ("next_seq", models.PositiveBigIntegerField(default=1, editable=False)),
                ("generation", models.PositiveIntegerField(default=0, editable=False)),
                (
                    "last_accepted_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="last accepted at"),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended at")),
                ("summary", models.TextField(blank=True, verbose_name="summary")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                of_subject(),
                of_tenant(),
                ("summarised_seq", models.PositiveBigIntegerField(db_default=0, default=0, editable=False)),
                ("restored_at", models.DateTimeField(blank=True, null=True, verbose_name="restored at")),
            ],
            options={
                "verbose_name": "conversation",
                "verbose_name_plural": "conversations",
                "db_table": "conversation",
                "ordering": ("created_at", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "created_at", "id"], name="conversation_by_age"),
                    models.Index(
                        condition=models.Q(("status", "open")),
                        fields=["tenant", "last_accepted_at"],
                        name="conversation_idle",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "subject", "external_id"), name="one_conversation_per_external_id"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FastLaneChange",
            fields=[
                identity(),
                ("memory_ref", models.UUIDField(blank=True, null=True, verbose_name="memory")),
                ("took_ms", models.FloatField(verbose_name="milliseconds")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "fast_lane_change",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "created_at"], name="fast_lane_change_by_age")],
            },
        ),
        migrations.CreateModel(
            name="ForgetOrder",
            fields=[
                identity(),
                ("message_ref", models.UUIDField(verbose_name="message")),
                (
                    "state",
                    models.CharField(
                        choices=[("withheld", "withheld"), ("undone", "brought back"), ("erased", "erased")],
                        default="withheld",
                        max_length=8,
                        verbose_name="state",
                    ),
                ),
                ("items", models.JSONField(default=list, verbose_name="memories")),
                (
                    "messages",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), default=list, size=None, verbose_name="messages"
                    ),
                ),
                ("erased", models.JSONField(default=dict, editable=False, verbose_name="erased rows")),
                ("kept", models.BinaryField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("erase_at", models.DateTimeField(verbose_name="is erased at")),
                ("decided_at", models.DateTimeField(blank=True, null=True, verbose_name="decided at")),
                ("erasure_ref", models.UUIDField(blank=True, null=True, verbose_name="erasure")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "order to forget",
                "verbose_name_plural": "orders to forget",
                "db_table": "forget_order",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "-created_at"], name="forget_order_by_time"),
                    models.Index(
                        condition=models.Q(("state", "withheld")),
                        fields=["tenant", "erase_at"],
                        name="forget_order_due",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Indicator",
            fields=[
                identity(),
                ("day", models.DateField(verbose_name="day")),
                ("policy_version", models.CharField(max_length=32, verbose_name="policy version")),
                ("arm", models.CharField(blank=True, max_length=64, verbose_name="arm")),
                ("contexts", models.PositiveBigIntegerField(default=0, verbose_name="contexts")),
                ("degraded", models.PositiveBigIntegerField(default=0, verbose_name="degraded answers")),
                ("injected", models.PositiveBigIntegerField(default=0, verbose_name="included in prompts")),
                ("replied", models.PositiveBigIntegerField(default=0, verbose_name="included, reply known")),
                ("utilised", models.PositiveBigIntegerField(default=0, verbose_name="used in the reply")),
                ("judged", models.PositiveBigIntegerField(default=0, verbose_name="judged")),
                ("positive", models.PositiveBigIntegerField(default=0, verbose_name="positive")),
                ("negative", models.PositiveBigIntegerField(default=0, verbose_name="negative")),
                ("corrected", models.PositiveBigIntegerField(default=0, verbose_name="corrected")),
                ("stale", models.PositiveBigIntegerField(default=0, verbose_name="stale")),
                ("tokens", models.PositiveBigIntegerField(default=0, verbose_name="tokens in contexts")),
                (
                    "tokens_full_history",
                    models.PositiveBigIntegerField(default=0, verbose_name="tokens of full histories"),
                ),
                ("fast_lane_changes", models.PositiveBigIntegerField(default=0, verbose_name="immediate corrections")),
                (
                    "fast_lane_p95_ms",
                    models.FloatField(blank=True, null=True, verbose_name="correction delay, p95 in ms"),
                ),
                of_tenant(),
                (
                    "experiment",
                    models.CharField(blank=True, db_default="", default="", max_length=64, verbose_name="experiment"),
                ),
            ],
            options={
                "verbose_name": "indicator",
                "verbose_name_plural": "indicators",
                "db_table": "indicator",
                "ordering": ("-day", "policy_version", "experiment", "arm"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "day", "policy_version", "experiment", "arm"), name="one_indicator_per_day"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                identity(),
                (
                    "kind",
                    models.CharField(
                        choices=[("import", "import"), ("erasure", "erasure")], max_length=16, verbose_name="kind"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("running", "running"),
                            ("succeeded", "succeeded"),
                            ("failed", "failed"),
                            ("dead", "dead"),
                        ],
                        default="queued",
                        max_length=16,
                        verbose_name="status",
                    ),
                ),
                ("params", models.JSONField(default=dict)),
                ("result", models.JSONField(default=dict, verbose_name="result")),
                ("done", models.PositiveBigIntegerField(default=0, verbose_name="done")),
                ("total", models.PositiveBigIntegerField(default=0, verbose_name="total")),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                ("error_code", models.CharField(blank=True, max_length=100, verbose_name="error")),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="due at"),
                ),
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True, verbose_name="leased until")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created at"
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended at")),
                of_tenant(),
            ],
            options={
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
                "db_table": "job",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "-created_at"], name="job_by_time"),
                    models.Index(
                        condition=models.Q(("status__in", ("queued", "running", "failed"))),
                        fields=["tenant", "due_at"],
                        name="job_to_do",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JobPart",
            fields=[
                identity(),
                ("number", models.PositiveIntegerField()),
                ("packed", models.BinaryField()),
                (
                    "job",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.job",
                    ),
                ),
                of_tenant(),
            ],
            options={
                "db_table": "job_part",
                "ordering": ("job", "number"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "job", "number"), name="one_part_per_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="KeptPrefix",
            fields=[
                identity(),
                ("endpoint", models.CharField(max_length=64, verbose_name="endpoint")),
                ("prefix_hash", models.CharField(max_length=64, verbose_name="prefix hash")),
                ("name", models.CharField(blank=True, max_length=300, verbose_name="name")),
                ("tokens", models.PositiveIntegerField(default=0, verbose_name="tokens")),
                ("claim", models.UUIDField(editable=False, null=True)),
                ("claimed_until", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="expires at")),
                ("unnamed_until", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("gone_by", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "cached prefix",
                "verbose_name_plural": "cached prefixes",
                "db_table": "kept_prefix",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject"], name="kept_prefix_of_subject"),
                    models.Index(fields=["tenant", "gone_by"], name="kept_prefix_by_end"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "endpoint", "prefix_hash"), name="one_kept_prefix_each")
                ],
            },
        ),
        migrations.CreateModel(
            name="MemoryAct",
            fields=[
                identity(),
                (
                    "lane",
                    models.CharField(
                        choices=[
                            ("snapshots", "snapshots"),
                            ("preferences", "preferences"),
                            ("profile", "profile"),
                            ("tags", "tags"),
                        ],
                        max_length=16,
                        verbose_name="kind of memory",
                    ),
                ),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                ("other_ref", models.UUIDField(blank=True, null=True)),
                (
                    "verb",
                    models.CharField(
                        choices=[
                            ("confirmed", "confirmed"),
                            ("corrected", "corrected"),
                            ("merged", "merged"),
                            ("retired", "retired"),
                        ],
                        max_length=16,
                        verbose_name="staff action",
                    ),
                ),
                ("before", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("undone_at", models.DateTimeField(blank=True, null=True, verbose_name="undone at")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "staff action",
                "verbose_name_plural": "staff actions",
                "db_table": "memory_act",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(
                        fields=["tenant", "subject", "memory_ref", "-created_at"], name="memory_act_by_memory"
                    ),
                    models.Index(fields=["tenant", "created_at"], name="memory_act_by_time"),
                ],
            },
        ),
        migrations.CreateModel(
            name="MemoryBlock",
            fields=[
                identity(),
                ("block", models.BigIntegerField()),
                ("spaces", models.TextField()),
                ("format", models.PositiveSmallIntegerField()),
                ("packed", models.BinaryField()),
                of_subject(),
                of_tenant(),
                ("sealed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "memory_block",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "subject", "block", "spaces", "format"), name="one_row_per_block_and_reader"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MemoryReview",
            fields=[
                identity(),
                (
                    "lane",
                    models.CharField(
                        choices=[
                            ("snapshots", "snapshots"),
                            ("preferences", "preferences"),
                            ("profile", "profile"),
                            ("tags", "tags"),
                        ],
                        max_length=16,
                        verbose_name="kind of memory",
                    ),
                ),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                (
                    "reason",
                    models.CharField(
                        choices=[("unsure", "confidence too low"), ("stale", "not validated for long")],
                        max_length=16,
                        verbose_name="reason",
                    ),
                ),
                ("effective_confidence", models.FloatField(verbose_name="effective confidence")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("decided_at", models.DateTimeField(blank=True, null=True, verbose_name="decided at")),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[("retired", "retired"), ("kept", "kept"), ("gone", "no longer in question")],
                        max_length=16,
                        verbose_name="decision",
                    ),
                ),
                ("decided_by", models.CharField(blank=True, max_length=200, verbose_name="decided by")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "memory to review",
                "verbose_name_plural": "memories to review",
                "db_table": "memory_review",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "-created_at"], name="memory_review_by_time")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("decided_at__isnull", True)),
                        fields=("tenant", "lane", "memory_ref"),
                        name="one_open_review_per_memory",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                identity(),
                ("external_id", models.CharField(max_length=200, verbose_name="message id")),
                ("seq", models.PositiveBigIntegerField(verbose_name="order")),
                (
                    "role",
                    models.CharField(
                        choices=[("user", "user"), ("assistant", "assistant"), ("tool", "tool"), ("system", "system")],
                        max_length=16,
                        verbose_name="role",
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=200, null=True, verbose_name="name")),
                ("content", models.TextField(blank=True, verbose_name="content")),
                ("parts", models.JSONField(blank=True, null=True, verbose_name="parts")),
                ("tool_calls", models.JSONField(blank=True, null=True, verbose_name="tool calls")),
                ("tool_call_id", models.CharField(blank=True, max_length=200, verbose_name="tool call")),
                ("metadata", models.JSONField(blank=True, default=dict, verbose_name="metadata")),
                ("remember", models.BooleanField(default=True, verbose_name="remember")),
                ("content_hash", models.BinaryField()),
                ("tokens", models.PositiveIntegerField(default=0, verbose_name="tokens")),
                ("said_at", models.DateTimeField(verbose_name="said at")),
                ("accepted_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="accepted at")),
                (
                    "conversation",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.conversation",
                        verbose_name="conversation",
                    ),
                ),
                of_subject(),
                of_tenant(),
                ("archived", models.BooleanField(db_default=False, default=False, verbose_name="archived")),
                (
                    "said_offset",
                    models.SmallIntegerField(
                        blank=True,
                        editable=False,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(-1439),
                            django.core.validators.MaxValueValidator(1439),
                        ],
                    ),
                ),
            ],
            options={
                "verbose_name": "message",
                "verbose_name_plural": "messages",
                "db_table": "message",
                "ordering": ("conversation", "seq"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "accepted_at"], name="message_by_age"),
                    models.Index(fields=["tenant", "subject"], include=("tokens",), name="message_sizes"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "conversation", "external_id"), name="one_message_per_external_id"
                    ),
                    models.UniqueConstraint(fields=("tenant", "conversation", "seq"), name="one_message_per_seq"),
                ],
            },
        ),
        migrations.CreateModel(
            name="MessageArchive",
            fields=[
                identity(),
                ("first_seq", models.PositiveBigIntegerField()),
                ("last_seq", models.PositiveBigIntegerField()),
                ("messages", models.PositiveIntegerField()),
                ("plain_bytes", models.PositiveBigIntegerField()),
                ("packed", models.BinaryField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.conversation",
                    ),
                ),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "message_archive",
                "ordering": ("conversation", "first_seq"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "conversation", "first_seq"), name="one_archive_per_stretch"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PreferenceSource",
            fields=[
                identity(),
                (
                    "memory",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.preference",
                    ),
                ),
                (
                    "message",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.message",
                    ),
                ),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "preference_source",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "memory", "message"), name="one_preference_source")
                ],
            },
        ),
        migrations.CreateModel(
            name="ProfileFactSource",
            fields=[
                identity(),
                (
                    "memory",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.profilefact",
                    ),
                ),
                (
                    "message",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.message",
                    ),
                ),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "profile_fact_source",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "memory", "message"), name="one_profile_fact_source")
                ],
            },
        ),
        migrations.CreateModel(
            name="QueueDay",
            fields=[
                identity(),
                ("day", models.DateField(verbose_name="day")),
                ("done", models.PositiveBigIntegerField(default=0, verbose_name="done")),
                ("waited_p95_ms", models.FloatField(default=0, verbose_name="waiting time, p95 in ms")),
                ("waited_longest_ms", models.FloatField(default=0, verbose_name="longest waiting time, in ms")),
                of_tenant(),
            ],
            options={
                "verbose_name": "waiting time by day",
                "verbose_name_plural": "waiting time by day",
                "db_table": "queue_day",
                "ordering": ("-day",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "day"), name="one_wait_per_day")],
            },
        ),
        migrations.CreateModel(
            name="Receipt",
            fields=[
                identity(),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("policy_version", models.CharField(max_length=32, verbose_name="policy version")),
                ("intent", models.CharField(blank=True, max_length=40, verbose_name="intent")),
                ("phase", models.CharField(blank=True, max_length=40, verbose_name="phase")),
                ("candidates", models.JSONField(default=list, verbose_name="candidates")),
                ("sections", models.JSONField(default=list, verbose_name="sections")),
                ("tokens", models.JSONField(default=dict, verbose_name="tokens")),
                ("degraded_reason", models.CharField(blank=True, max_length=200, verbose_name="degraded reason")),
                ("prefix_hash", models.CharField(blank=True, max_length=64, verbose_name="prefix hash")),
                ("rendered", models.BinaryField(null=True)),
                (
                    "conversation",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.conversation",
                        verbose_name="conversation",
                    ),
                ),
                of_subject(),
                of_tenant(),
                ("answered_at", models.DateTimeField(blank=True, null=True, verbose_name="next message reported")),
                ("replied_at", models.DateTimeField(blank=True, null=True, verbose_name="reply reported")),
                ("model_route", models.JSONField(blank=True, null=True, verbose_name="model route")),
                (
                    "experiment",
                    models.CharField(blank=True, db_default="", default="", max_length=64, verbose_name="experiment"),
                ),
                ("arm", models.CharField(blank=True, db_default="", default="", max_length=64, verbose_name="arm")),
                ("packed", models.BinaryField(null=True)),
                ("due", models.JSONField(blank=True, editable=False, null=True)),
                ("made_by", models.JSONField(blank=True, db_default={}, default=dict, verbose_name="made by")),
                (
                    "abstained",
                    models.CharField(blank=True, db_default="", default="", max_length=40, verbose_name="why no memory was included"),
                ),
            ],
            options={
                "verbose_name": "receipt",
                "verbose_name_plural": "receipts",
                "db_table": "receipt",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "-created_at"], name="receipt_by_subject"),
                    models.Index(fields=["tenant", "-created_at"], name="receipt_by_time"),
                    models.Index(
                        condition=models.Q(("rendered__isnull", False)),
                        fields=["tenant", "created_at"],
                        name="receipt_with_text",
                    ),
                    models.Index(
                        condition=models.Q(("due__isnull", False)),
                        fields=["tenant", "subject"],
                        name="receipt_without_rows",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReceiptMemory",
            fields=[
                identity(),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                ("lane", models.CharField(max_length=16, verbose_name="kind of memory")),
                ("context_position", models.PositiveIntegerField(verbose_name="position")),
                ("utilised", models.BooleanField(blank=True, null=True, verbose_name="used in the reply")),
                ("signal", models.CharField(blank=True, max_length=16, verbose_name="signal")),
                (
                    "receipt",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.receipt",
                    ),
                ),
                of_subject(),
                of_tenant(),
                ("counted", models.JSONField(blank=True, editable=False, null=True)),
                ("how", models.CharField(blank=True, db_default="", max_length=16, verbose_name="evidence of use")),
                (
                    "signal_reason",
                    models.CharField(blank=True, db_default="", max_length=64, verbose_name="reason of the signal"),
                ),
                ("told_at", models.DateTimeField(blank=True, null=True, verbose_name="reported at")),
            ],
            options={
                "verbose_name": "included memory",
                "verbose_name_plural": "included memories",
                "db_table": "receipt_memory",
                "ordering": ("receipt", "context_position"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "memory_ref"], name="receipt_memory_by_memory"),
                    models.Index(
                        condition=models.Q(("counted__isnull", True)),
                        fields=["tenant", "subject"],
                        name="receipt_memory_to_count",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                identity(),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("conversation", "conversation"),
                            ("segment", "segment"),
                            ("statement", "statement"),
                            ("episode", "episode"),
                            ("consolidated", "consolidated"),
                            ("manual", "manual"),
                            ("note", "note"),
                            ("reply", "assistant's words"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                ("text", models.TextField(verbose_name="text")),
                ("name", models.CharField(blank=True, max_length=200, null=True, verbose_name="name")),
                ("seq", models.PositiveBigIntegerField(blank=True, null=True, verbose_name="order")),
                ("position", models.BigIntegerField(editable=False, verbose_name="position")),
                ("category", models.CharField(blank=True, max_length=100, verbose_name="category")),
                (
                    "topics",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=100),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="topics",
                    ),
                ),
                (
                    "importance",
                    models.FloatField(
                        default=0.5,
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="importance",
                    ),
                ),
                (
                    "confidence",
                    models.FloatField(
                        default=0.6,
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
                        default="observation",
                        max_length=20,
                        verbose_name="provenance",
                    ),
                ),
                ("metadata", models.JSONField(blank=True, default=dict, verbose_name="metadata")),
                ("content_hash", models.BinaryField()),
                ("masked", models.BooleanField(default=False, verbose_name="masked")),
                ("raw_fallback", models.BooleanField(default=False, verbose_name="raw fallback")),
                ("said_at", models.DateTimeField(verbose_name="said at")),
                ("valid_at", models.DateTimeField(verbose_name="valid at")),
                ("invalid_at", models.DateTimeField(blank=True, null=True, verbose_name="invalid at")),
                ("recorded_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="recorded at")),
                ("retired_at", models.DateTimeField(blank=True, null=True, verbose_name="retired at")),
                ("expires_at", models.DateTimeField(blank=True, null=True, verbose_name="expires at")),
                (
                    "last_validated_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="last validated at"),
                ),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                (
                    "conversation",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.conversation",
                        verbose_name="conversation",
                    ),
                ),
                of_subject(),
                (
                    "superseded_by",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                        verbose_name="superseded by",
                    ),
                ),
                of_tenant(),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=100),
                        blank=True,
                        db_default=[],
                        default=list,
                        size=None,
                        verbose_name="other names",
                    ),
                ),
                (
                    "said_offset",
                    models.SmallIntegerField(
                        blank=True,
                        editable=False,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(-1439),
                            django.core.validators.MaxValueValidator(1439),
                        ],
                    ),
                ),
            ],
            options={
                "verbose_name": "snapshot",
                "verbose_name_plural": "snapshots",
                "db_table": "snapshot",
                "ordering": ("recorded_at", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "position"], name="snapshot_by_position"),
                    models.Index(fields=["tenant", "subject", "recorded_at", "id"], name="snapshot_by_age"),
                    models.Index(
                        condition=models.Q(("expires_at__isnull", False)),
                        fields=["tenant", "expires_at"],
                        name="snapshot_expiry",
                    ),
                    models.Index(fields=["tenant", "recorded_at", "id"], name="snapshot_by_recording"),
                ],
            },
        ),
        migrations.CreateModel(
            name="NoteSlot",
            fields=[
                identity(),
                (
                    "fact",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.profilefact",
                    ),
                ),
                (
                    "preference",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.preference",
                    ),
                ),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                    ),
                ),
                of_subject(),
                (
                    "tag",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.tag",
                    ),
                ),
                of_tenant(),
            ],
            options={
                "db_table": "note_slot",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "snapshot", "preference", "fact", "tag"),
                        name="one_link_of_note_and_slot",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("fact__isnull", True), ("preference__isnull", False), ("tag__isnull", True)),
                            models.Q(("fact__isnull", False), ("preference__isnull", True), ("tag__isnull", True)),
                            models.Q(("fact__isnull", True), ("preference__isnull", True), ("tag__isnull", False)),
                            _connector="OR",
                        ),
                        name="link_to_one_slot",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                identity(),
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
                        on_delete=models.DO_NOTHING,
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
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                        verbose_name="snapshot",
                    ),
                ),
                ("statement_id", models.UUIDField(blank=True, editable=False, null=True)),
                of_subject(),
                of_tenant(),
                ("changed_by", models.UUIDField(blank=True, editable=False, null=True)),
                ("newer", models.UUIDField(blank=True, editable=False, null=True)),
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
                    ),
                    models.Index(fields=["tenant", "statement_id"], name="note_of_statement"),
                ],
                "constraints": [models.UniqueConstraint(fields=("tenant", "snapshot"), name="one_note_per_snapshot")],
            },
        ),
        migrations.CreateModel(
            name="SnapshotCounter",
            fields=[
                identity(),
                ("injected", models.PositiveIntegerField(default=0, verbose_name="included in prompts")),
                ("positive", models.PositiveIntegerField(default=0, verbose_name="positive")),
                ("corrected", models.PositiveIntegerField(default=0, verbose_name="corrected")),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                    ),
                ),
                of_subject(),
                of_tenant(),
                ("calibrated_corrected", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_injected", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_judged", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_positive", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("judged", models.PositiveIntegerField(db_default=0, default=0, verbose_name="judged")),
                ("negative", models.PositiveIntegerField(db_default=0, default=0, verbose_name="negative")),
                ("utilised", models.PositiveIntegerField(db_default=0, default=0, verbose_name="used in the reply")),
            ],
            options={
                "db_table": "snapshot_counter",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "snapshot"), name="one_counter_per_snapshot")
                ],
            },
        ),
        migrations.CreateModel(
            name="SnapshotSource",
            fields=[
                identity(),
                (
                    "memory",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                    ),
                ),
                (
                    "message",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.message",
                    ),
                ),
                of_subject(),
                of_tenant(),
                ("span_start", models.PositiveIntegerField(blank=True, editable=False, null=True)),
                ("span_end", models.PositiveIntegerField(blank=True, editable=False, null=True)),
            ],
            options={
                "db_table": "snapshot_source",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "memory", "message"), name="one_snapshot_source")
                ],
            },
        ),
        migrations.CreateModel(
            name="SnapshotVector",
            fields=[
                identity(),
                ("dated", pgvector.django.halfvec.HalfVectorField()),
                ("previous", pgvector.django.halfvec.HalfVectorField()),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.embeddingspace",
                    ),
                ),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "snapshot_vector",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "subject", "space"], name="snapshot_vector_by_space")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "snapshot", "space"), name="one_vector_row_per_space")
                ],
            },
        ),
        migrations.CreateModel(
            name="SnapshotVersion",
            fields=[
                identity(),
                ("version", models.PositiveBigIntegerField()),
                ("fields", models.JSONField(verbose_name="fields")),
                ("recorded_at", models.DateTimeField(verbose_name="recorded at")),
                ("retired_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="retired at")),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                    ),
                ),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "snapshot_version",
                "ordering": ("snapshot", "version"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "snapshot", "version"), name="one_image_per_snapshot_version"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SnapshotWords",
            fields=[
                identity(),
                ("position", models.BigIntegerField()),
                ("words", models.BinaryField()),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                    ),
                ),
                of_subject(),
                of_tenant(),
                ("language", models.CharField(db_default="", default="", max_length=8)),
                ("saying", models.BigIntegerField(null=True)),
            ],
            options={
                "db_table": "snapshot_words",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "position"], name="snapshot_words_by_position"),
                    models.Index(
                        condition=models.Q(("saying__isnull", True)),
                        fields=["tenant", "subject"],
                        name="snapshot_words_unread",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "snapshot"), name="one_word_row_per_snapshot")
                ],
            },
        ),
        migrations.CreateModel(
            name="SubjectMemory",
            fields=[
                identity(),
                ("version", models.PositiveBigIntegerField(default=1)),
                ("next_position", models.BigIntegerField(default=1)),
                of_subject(),
                of_tenant(),
                ("epoch", models.PositiveBigIntegerField(db_default=1, default=1)),
                ("sealed", models.PositiveIntegerField(db_default=0, default=0)),
                ("noted_by", models.CharField(blank=True, db_default="", default="", max_length=32)),
                ("noted_until", models.DateTimeField(blank=True, null=True)),
                ("noting_message", models.UUIDField(blank=True, null=True)),
                ("noting_said_at", models.DateTimeField(blank=True, null=True)),
                ("noting_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "db_table": "subject_memory",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(
                        condition=models.Q(("next_position__gte", 500)),
                        fields=["tenant", "subject"],
                        name="subject_memory_in_blocks",
                    )
                ],
                "constraints": [models.UniqueConstraint(fields=("tenant", "subject"), name="one_memory_per_subject")],
            },
        ),
        migrations.CreateModel(
            name="TagSource",
            fields=[
                identity(),
                (
                    "memory",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.tag",
                    ),
                ),
                (
                    "message",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.message",
                    ),
                ),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "tag_source",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "memory", "message"), name="one_tag_source")],
            },
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                identity(),
                ("goal", models.TextField(verbose_name="goal")),
                (
                    "status",
                    models.CharField(
                        choices=[("active", "active"), ("finished", "finished")],
                        default="active",
                        max_length=16,
                        verbose_name="status",
                    ),
                ),
                ("steps", models.JSONField(blank=True, default=list, verbose_name="steps")),
                ("scratchpad", models.JSONField(blank=True, null=True, verbose_name="scratchpad")),
                ("iteration", models.PositiveIntegerField(default=0, verbose_name="iteration")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="updated at")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished at")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "task",
                "verbose_name_plural": "tasks",
                "db_table": "task",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "created_at", "id"], name="task_by_age"),
                    models.Index(
                        condition=models.Q(("status", "active")),
                        fields=["tenant", "subject", "-updated_at"],
                        name="task_in_progress",
                    ),
                    models.Index(fields=["tenant", "updated_at"], name="task_by_change"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Episode",
            fields=[
                identity(),
                (
                    "outcome",
                    models.CharField(
                        choices=[("success", "success"), ("partial", "partial success"), ("failure", "failure")],
                        max_length=16,
                        verbose_name="outcome",
                    ),
                ),
                ("approach", models.TextField(blank=True, verbose_name="approach")),
                (
                    "key_decisions",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None, verbose_name="key decisions"
                    ),
                ),
                ("feedback", models.TextField(blank=True, verbose_name="feedback")),
                (
                    "tools",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None, verbose_name="tools"
                    ),
                ),
                (
                    "lessons",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None, verbose_name="lessons"
                    ),
                ),
                (
                    "importance",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="importance",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                        verbose_name="snapshot",
                    ),
                ),
                of_subject(),
                of_tenant(),
                (
                    "task",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.task",
                        verbose_name="task",
                    ),
                ),
            ],
            options={
                "verbose_name": "episode",
                "verbose_name_plural": "episodes",
                "db_table": "episode",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "subject", "-created_at"], name="episode_by_time")],
                "constraints": [models.UniqueConstraint(fields=("tenant", "task"), name="one_episode_per_task")],
            },
        ),
        migrations.CreateModel(
            name="Work",
            fields=[
                identity(),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("statement", "statement"),
                            ("extract", "extract"),
                            ("conversation", "conversation snapshot"),
                            ("summary", "running summary"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                ("generation", models.PositiveIntegerField(default=0, editable=False)),
                (
                    "position",
                    models.BigIntegerField(
                        db_default=models.Func(models.Value("work_position"), function="nextval"),
                        editable=False,
                        verbose_name="position",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("ready", "ready"), ("leased", "leased"), ("done", "done"), ("dead", "dead")],
                        default="ready",
                        max_length=8,
                        verbose_name="state",
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="due at"),
                ),
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True, verbose_name="leased until")),
                ("error_code", models.CharField(blank=True, max_length=100, verbose_name="error")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created at"
                    ),
                ),
                ("done_at", models.DateTimeField(blank=True, null=True, verbose_name="done at")),
                (
                    "conversation",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.conversation",
                        verbose_name="conversation",
                    ),
                ),
                (
                    "message",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="snapshots.message",
                        verbose_name="message",
                    ),
                ),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "work item",
                "verbose_name_plural": "work items",
                "db_table": "work",
                "ordering": ("created_at", "position"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "ready")), fields=["tenant", "kind", "due_at"], name="work_ready"
                    ),
                    models.Index(
                        condition=models.Q(("state", "leased")),
                        fields=["tenant", "kind", "lease_until"],
                        name="work_leased",
                    ),
                    models.Index(
                        condition=models.Q(("state__in", ("ready", "leased"))),
                        fields=["tenant", "kind", "subject", "position"],
                        name="work_open_by_subject",
                    ),
                    models.Index(condition=models.Q(("state", "dead")), fields=["tenant", "subject"], name="work_dead"),
                    models.Index(condition=models.Q(("state", "done")), fields=["tenant", "done_at"], name="work_done"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "message", "kind"), name="one_work_per_message_and_kind"),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "conversation")),
                        fields=("tenant", "conversation", "generation"),
                        name="one_work_per_conversation_end",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "summary")),
                        fields=("tenant", "conversation", "generation"),
                        name="one_work_per_running_summary",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkRemoved",
            fields=[
                identity(),
                ("day", models.DateField(verbose_name="day")),
                ("count", models.PositiveBigIntegerField(default=0, verbose_name="count")),
                of_tenant(),
            ],
            options={
                "verbose_name": "removed work items",
                "verbose_name_plural": "removed work items",
                "db_table": "work_removed",
                "ordering": ("-day",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "day"), name="one_removed_count_per_day")],
            },
        ),
        migrations.CreateModel(
            name="BeliefCounter",
            fields=[
                identity(),
                ("injected", models.PositiveIntegerField(default=0, verbose_name="included in prompts")),
                ("utilised", models.PositiveIntegerField(db_default=0, default=0, verbose_name="used in the reply")),
                ("judged", models.PositiveIntegerField(db_default=0, default=0, verbose_name="judged")),
                ("positive", models.PositiveIntegerField(default=0, verbose_name="positive")),
                ("negative", models.PositiveIntegerField(db_default=0, default=0, verbose_name="negative")),
                ("corrected", models.PositiveIntegerField(default=0, verbose_name="corrected")),
                ("calibrated_injected", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_judged", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_positive", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_corrected", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("lane", models.CharField(max_length=16, verbose_name="kind of memory")),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "belief_counter",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "lane", "memory_ref"), name="one_counter_per_belief")
                ],
            },
        ),
        migrations.CreateModel(
            name="Calibration",
            fields=[
                identity(),
                (
                    "lane",
                    models.CharField(
                        choices=[
                            ("snapshots", "snapshots"),
                            ("preferences", "preferences"),
                            ("profile", "profile"),
                            ("tags", "tags"),
                        ],
                        max_length=16,
                        verbose_name="kind of memory",
                    ),
                ),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                (
                    "rule",
                    models.CharField(
                        choices=[
                            ("liked", "positive feedback"),
                            ("corrected", "corrected"),
                            ("disliked", "negative feedback"),
                        ],
                        max_length=16,
                        verbose_name="rule",
                    ),
                ),
                ("before", models.FloatField(verbose_name="confidence before")),
                ("after", models.FloatField(verbose_name="confidence after")),
                ("injected", models.PositiveIntegerField(verbose_name="included in prompts")),
                ("judged", models.PositiveIntegerField(verbose_name="judged")),
                ("positive", models.PositiveIntegerField(verbose_name="positive")),
                ("corrected", models.PositiveIntegerField(verbose_name="corrected")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "calibration",
                "verbose_name_plural": "calibrations",
                "db_table": "calibration",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "-created_at"], name="calibration_by_subject"),
                    models.Index(fields=["tenant", "memory_ref", "-created_at"], name="calibration_by_memory"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Consolidation",
            fields=[
                identity(),
                (
                    "lane",
                    models.CharField(
                        choices=[
                            ("snapshots", "snapshots"),
                            ("preferences", "preferences"),
                            ("profile", "profile"),
                            ("tags", "tags"),
                        ],
                        max_length=16,
                        verbose_name="kind of memory",
                    ),
                ),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                (
                    "members",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), size=None, verbose_name="joined memories"
                    ),
                ),
                ("similarity", models.FloatField(verbose_name="least similarity")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("undone_at", models.DateTimeField(blank=True, null=True, verbose_name="undone at")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "consolidation",
                "verbose_name_plural": "consolidations",
                "db_table": "consolidation",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "subject", "-created_at"], name="consolidation_by_time")],
            },
        ),
        migrations.RunSQL(POSITIONS_OF_WORK, migrations.RunSQL.noop),
        MakeIndexes(
            "calibration",
            "consolidation",
            "conversation",
            "episode",
            "message",
            "receipt",
            "snapshot",
            "snapshot_counter",
            "snapshot_vector",
            "snapshot_words",
            "subject_memory",
            "task",
            "work",
        ),
        Protect("Conversation"),
        Protect("Message"),
        Protect("Work", lookup=True),
        Protect("WorkRemoved"),
        Protect("Snapshot", set_null=("superseded_by", "conversation")),
        Protect("SnapshotVersion"),
        Protect("SubjectMemory"),
        Protect("SnapshotCounter"),
        Protect("SnapshotWords"),
        Protect("SnapshotVector"),
        Protect("SnapshotSource"),
        Protect("PreferenceSource"),
        Protect("ProfileFactSource"),
        Protect("TagSource"),
        Protect("Receipt", set_null=("conversation",)),
        Protect("ReceiptMemory"),
        Protect("MemoryBlock"),
        Protect("BeliefCounter"),
        Protect("Calibration"),
        Protect("Consolidation"),
        Protect("FastLaneChange"),
        Protect("Indicator"),
        Protect("Job"),
        Protect("JobPart"),
        Protect("MemoryReview"),
        Protect("MessageArchive"),
        Protect("Task"),
        Protect("Episode"),
        Protect("KeptPrefix"),
        Protect("MemoryAct"),
        Protect("QueueDay"),
        Protect("Note", set_null=("statement", "about_tag")),
        Protect("ForgetOrder"),
        Protect("NoteSlot"),
        migrations.RunSQL(DUE_WORK.TENANTS_WITH_DUE_WORK, "DROP FUNCTION app.tenants_with_due_work(integer)"),
        migrations.RunSQL(BACKLOG.WORK_BACKLOG, "DROP FUNCTION app.work_backlog()"),
        migrations.RunSQL(BY_TENANT.WORK_BY_TENANT, "DROP FUNCTION app.work_by_tenant()"),
        migrations.RunSQL(BLOCKS.PACKED_ALREADY, migrations.RunSQL.noop),
        migrations.RunSQL(METADATA.AS_IT_IS, migrations.RunSQL.noop),
        migrations.RunSQL(RECEIPTS.AS_IT_IS, migrations.RunSQL.noop),
    ]
