"""A context in the form of one vendor, its stable prefix cached there where that is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from memory_platform.providers.contracts import KeptPrompt
from memory_platform.providers.prompt_cache.vendor_requests import render_cached_gemini_request, render_vendor_request
from memory_platform.providers.registry import prompt_keeper
from snapshots.context.values import AssembledContext
from snapshots.prompt_cache.cache_prefix import NotKept, StablePrefix, cache_prefix

# The vendor that keeps prefixes on request.
KEPT_BY = "gemini"


@dataclass(frozen=True, slots=True)
class VendorRequest:
    """Which form is wanted. ``lost_name``: the cached content that the vendor no longer knows."""

    vendor: str
    cached_content: bool = False
    lost_name: str = ""


@dataclass(frozen=True, slots=True)
class VendorPrompt:
    """The body of the vendor's request. Only ``model`` reads ``cached_prompt``; ``missing``: why nothing is cached."""

    vendor: str
    body: Mapping[str, Any]
    cached_prompt: KeptPrompt | None = None
    model: str | None = None
    missing: NotKept | None = None


def make_vendor_prompt(
    tenant_id: UUID, subject_id: UUID | None, context: AssembledContext, request: VendorRequest
) -> VendorPrompt:
    """Return a context's messages in a vendor's form. May call the vendor: no scope may be open.

    ``subject_id`` is None for a new subject. Whatever the vendor does, the prompt can be sent.
    """
    messages, prefix_hash = context.messages, context.prefix.hash
    ordinary = render_vendor_request(request.vendor, messages, prefix_hash)
    if not request.cached_content:
        return VendorPrompt(request.vendor, ordinary)
    keeper = prompt_keeper()
    text = str(messages[0]["content"]) if messages else ""
    prefix = StablePrefix(subject_id, text, prefix_hash, context.prefix.tokens)
    kept = cache_prefix(tenant_id, prefix, keeper, lost_name=request.lost_name)
    if isinstance(kept, NotKept):
        return VendorPrompt(request.vendor, ordinary, missing=kept)
    body = render_cached_gemini_request(messages, prefix_hash, kept.name)
    return VendorPrompt(request.vendor, body, cached_prompt=kept, model=keeper.model if keeper else None)


def remake_vendor_prompt(prompt: VendorPrompt, before: AssembledContext, context: AssembledContext) -> VendorPrompt:
    """Return the prompt of ``context``, made in place of ``before``, without calling the vendor. Cached content goes
    along where the prefix is the same."""
    messages, prefix_hash = context.messages, context.prefix.hash
    if prompt.cached_prompt is not None and prefix_hash == before.prefix.hash:
        return replace(prompt, body=render_cached_gemini_request(messages, prefix_hash, prompt.cached_prompt.name))
    missing = prompt.missing if prompt.cached_prompt is None else NotKept.UNAVAILABLE
    return VendorPrompt(prompt.vendor, render_vendor_request(prompt.vendor, messages, prefix_hash), missing=missing)
