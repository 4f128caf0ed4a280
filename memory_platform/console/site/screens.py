"""All screens of the console. Importing this module registers those that are made with ``@admin.register``."""

import memory_platform.console.documents.document_screen
import memory_platform.console.figures.usage_days
import memory_platform.console.memories.conversations_and_snapshots
import memory_platform.console.memories.memory_file_screen
import memory_platform.console.memories.note_screen
import memory_platform.console.memories.profile_screens
import memory_platform.console.memories.task_screens
import memory_platform.console.operation.erasures_and_jobs
import memory_platform.console.operation.job_run_screens
import memory_platform.console.operation.platform_log_screen
import memory_platform.console.operation.staff_and_model_screens
import memory_platform.console.operation.work_queue_screens
import memory_platform.console.policies.experiments.experiment_screen
import memory_platform.console.policies.policy_screen
import memory_platform.console.receipts.receipt_screen
import memory_platform.console.review.candidate_screen
import memory_platform.console.review.forget_order_and_ask_screens
import memory_platform.console.review.memory_maintenance_screens
import memory_platform.console.subjects.join_screen
import memory_platform.console.subjects.subject_screen
import memory_platform.console.tenants.api_keys
import memory_platform.console.tenants.invitation_screens
import memory_platform.console.tenants.limit_and_model_screens
import memory_platform.console.tenants.members_and_audit_trail
import memory_platform.console.tenants.support_session_screens
import memory_platform.console.tenants.tenant_directory
import memory_platform.console.tenants.upstream_screens
import memory_platform.console.tenants.webhooks.delivery_screen
import memory_platform.console.tenants.webhooks.webhook_screens  # noqa: F401
from memory_platform.console.operation import staff_and_model_screens, timetable_screens


def replace_library_screens() -> None:
    staff_and_model_screens.replace_default_screens()
    timetable_screens.replace_default_screens()
