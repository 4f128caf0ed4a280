"""A typed client of the memory platform.

    from memory_platform_client import Memory

    memory = Memory("http://127.0.0.1:8000", api_key)
    ada = memory.subject("ada")
    ada.add("I moved to Zürich", conversation="c1")
    print(ada.context("Where do I live?").text)

``AsyncMemory`` has the same methods, to be awaited.
"""

from memory_platform_client.client import AsyncMemory, Memory
from memory_platform_client.decoding import Answer, Meta, Page
from memory_platform_client.errors import (
    BudgetTooSmall,
    Conflict,
    ConnectionFailed,
    FieldFault,
    Forbidden,
    IncompleteExport,
    Invalid,
    JobFailed,
    MemoryPlatformError,
    NotFound,
    Problem,
    RateLimited,
    Refused,
    TimedOut,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnreadableAnswer,
    VersionMismatch,
)
from memory_platform_client.export_files import ExportFile
from memory_platform_client.listings import AsyncListing, Listing
from memory_platform_client.retries import NO_RETRIES, Retries

__all__ = [
    "NO_RETRIES",
    "Answer",
    "AsyncListing",
    "AsyncMemory",
    "BudgetTooSmall",
    "Conflict",
    "ConnectionFailed",
    "ExportFile",
    "FieldFault",
    "Forbidden",
    "IncompleteExport",
    "Invalid",
    "JobFailed",
    "Listing",
    "Memory",
    "MemoryPlatformError",
    "Meta",
    "NotFound",
    "Page",
    "Problem",
    "RateLimited",
    "Refused",
    "Retries",
    "TimedOut",
    "TooLarge",
    "Unauthenticated",
    "Unavailable",
    "UnreadableAnswer",
    "VersionMismatch",
]
