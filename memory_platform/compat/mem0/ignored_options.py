"""The options that mem0's clients send with a memory, and the answers to those that the platform does not carry out."""

from collections.abc import Mapping
from typing import Any

IGNORED: Mapping[str, str] = {
    "custom_categories": "Categories are the platform's topics, which rules find. Send `categories` to set your own.",
    "custom_instructions": "What is learned follows the tenant's policy (console, or /v1/policies), not instructions.",
    "agent_custom_instructions": "What is learned follows the tenant's policy, not instructions.",
    "prompt": "What is learned follows the tenant's policy, not a prompt.",
    "includes": "What is learned follows the tenant's policy, not `includes`.",
    "excludes": "What is learned follows the tenant's policy, not `excludes`.",
    "enable_graph": "People and places are tags of the person: /v1/subjects/{id}/tags.",
    "structured_data_schema": "No structured attributes are made. Profile and preferences are at /v1/subjects/{id}.",
    "memory_type": "The platform decides itself what kind of memory a message makes.",
    "filter_memories": "Search always leaves out what is not relevant: set `threshold`.",
    "show_expired": "An expired memory is gone at once.",
    "delete_linked": "Deleting a memory always deletes what was made of the same messages.",
}
# Accepted without a word: they choose between forms that are all answered, or between versions of a client.
FORMS = frozenset({
    "async_mode", "output_format", "version", "api_version", "org_id", "project_id", "org_name", "project_name",
    "source", "keyword_search", "latest_only", "rerank", "deduced_memories", "llm",
})  # fmt: skip
SCOPES = frozenset({"user_id", "agent_id", "app_id", "run_id", "session_id"})
ADDED = frozenset(
    {"messages", "metadata", "infer", "timestamp", "expiration_date", "immutable", "categories", "filters"}
)
SEARCHED = frozenset({
    "query", "filters", "top_k", "limit", "threshold", "fields", "categories", "metadata", "reference_date", "keywords",
})  # fmt: skip
LISTED = frozenset({
    "filters", "page", "page_size", "limit", "top_k", "fields", "categories", "metadata", "keywords", "start_date",
    "end_date",
})  # fmt: skip
TO_ADD = ADDED | SCOPES | FORMS | IGNORED.keys()
TO_SEARCH = SEARCHED | SCOPES | FORMS | IGNORED.keys()
TO_LIST = LISTED | SCOPES | FORMS | IGNORED.keys()


def explain_ignored(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``{"ignored": {option: why}}`` for the options that ask for something and have no effect; else nothing."""
    ignored = {
        name: IGNORED[name] for name, value in values.items() if name in IGNORED and value not in (False, [], {}, "")
    }
    return {"ignored": ignored} if ignored else {}
