"""Limits and waiting times of the door for mem0's clients."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class Mem0Config:
    """``wait_s``: how long ``add`` waits for what is learned before it answers PENDING."""

    wait_s: float = assumed(3.0, owner="compat", settle_by="how long workers take to learn, p95")
    poll_s: float = assumed(0.02, owner="compat", settle_by="the load of waiting requests")
    poll_most_s: float = assumed(0.2, owner="compat", settle_by="the load of waiting requests")
    top_k: int = promised(10)  # mem0's own default
    top_k_most: int = assumed(100, owner="compat", settle_by="the largest top_k that clients send")
    threshold: float = promised(0.1)  # mem0's own default
    page_size: int = promised(100)  # mem0's own default
    page_size_most: int = assumed(1_000, owner="compat", settle_by="the largest page that clients ask for")
    page_most: int = assumed(1_000_000, owner="compat", settle_by="the last page that clients ask for")
    entities_most: int = assumed(10_000, owner="compat", settle_by="people of a tenant that uses delete_users")
    subjects_searched: int = assumed(20, owner="compat", settle_by="searches across users that are seen")
    batch_most: int = promised(1_000)  # mem0's own limit
    deleted_most: int = assumed(1_000, owner="compat", settle_by="the slowest delete_all seen")
    events_listed: int = assumed(100, owner="compat", settle_by="clients that list events")
    summary_memories: int = assumed(50, owner="compat", settle_by="clients that ask for summaries")
    query_object_chars: int = assumed(8_192, owner="compat", settle_by="the longest filter in a query that is seen")
    filter_depth: int = assumed(8, owner="compat", settle_by="the deepest filter that is seen")
    filter_tests: int = assumed(48, owner="compat", settle_by="the longest filter that is seen")
    filter_list: int = assumed(100, owner="compat", settle_by="the longest list in a filter that is seen")
    filter_text_chars: int = assumed(1_000, owner="compat", settle_by="the longest text in a filter that is seen")


MEM0 = Mem0Config()
