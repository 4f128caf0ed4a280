"""All screens of the console. Importing this module registers those that are made with ``@admin.register``."""

import memory_platform.console.memories.notes
import memory_platform.console.memories.profiles
import memory_platform.console.memories.snapshots
import memory_platform.console.memories.tasks
import memory_platform.console.operation.erasures
import memory_platform.console.operation.prompt_caches
import memory_platform.console.operation.work
import memory_platform.console.policies.experiments
import memory_platform.console.policies.screens
import memory_platform.console.receipts.screen
import memory_platform.console.review.asks
import memory_platform.console.review.candidates
import memory_platform.console.review.forget_orders
import memory_platform.console.review.maintenance
import memory_platform.console.subjects.screen
import memory_platform.console.tenants.directory
import memory_platform.console.tenants.keys
import memory_platform.console.tenants.model_use
import memory_platform.console.tenants.support
import memory_platform.console.tenants.tenants
import memory_platform.console.tenants.usage  # noqa: F401
from memory_platform.console.operation import platform, timetable


def replace_library_screens() -> None:
    platform.replace_default_screens()
    timetable.replace_default_screens()
