"""The words that fields may hold. A newer server may know more of them.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from typing import Literal

AboutInputKind = Literal["self", "contact", "thing"]
AboutKind = Literal["contact", "thing"]
AbstainedReason = Literal["unknown_subject", "nothing_remembered", "nothing_relevant", "nothing_more"]
BeliefKind = Literal["profile", "preference", "tag"]
BeliefVerdict = Literal["stored", "merged", "superseded", "unchanged", "rejected", "pending"]
CandidateKind = Literal[
    "preference",
    "profile",
    "tag",
    "conversation",
    "segment",
    "statement",
    "episode",
    "consolidated",
    "manual",
    "note",
    "reply",
    "summary",
    "tasks",
    "documents",
]
CandidateLane = Literal["profile", "preferences", "tags", "snapshots", "documents", "tasks", "summary"]
CheckStatus = Literal["ok", "degraded", "unavailable"]
ClaimedProvenance = Literal["observation", "analysis", "confirmed_by_user", "imported"]
ContextInclude = Literal["knowledge", "tasks", "replies"]
ConversationStatus = Literal["open", "ended"]
DecisionReason = Literal[
    "kept",
    "over_budget",
    "duplicate_of_window",
    "duplicate_of_profile",
    "duplicate_of_memory",
    "untrusted_instruction",
    "below_floor",
    "not_needed",
    "expired",
]
DocumentAbstainedReason = Literal["no_documents", "nothing_found", "nothing_relevant"]
DocumentStatus = Literal["processing", "ready", "failed"]
DocumentVerdict = Literal["stored", "unchanged", "replaced"]
ErasureScope = Literal["memory", "conversation", "subject"]
ErasureStatus = Literal["accepted", "running", "done"]
ExperimentDetailStatus = Literal["draft", "running", "ended"]
FactDifferenceKind = Literal["number", "name", "denial", "opposite", "statement"]
FactVerdictReason = Literal["older", "weaker_than_current", "not_a_list", "absent", "removed"]
FastLaneKind = Literal[
    "preference",
    "profile",
    "tag",
    "conversation",
    "segment",
    "statement",
    "episode",
    "consolidated",
    "manual",
    "note",
    "reply",
]
FastLaneReason = Literal[
    "absent",
    "added",
    "asks_for_everything",
    "contradiction",
    "duplicate",
    "echo",
    "ended",
    "evidence_missing",
    "forgotten",
    "instruction",
    "new",
    "no_lasting_words",
    "not_a_list",
    "not_asserted",
    "not_the_subject",
    "object_unknown",
    "older",
    "one_off",
    "possibly_outdated",
    "removed",
    "replaced",
    "schema",
    "sensitive",
    "unsure",
    "unsupported",
    "weaker_than_current",
]
FastLaneVerdict = Literal[
    "stored",
    "merged",
    "superseded",
    "unchanged",
    "rejected",
    "pending",
    "forgotten",
    "nothing_to_forget",
]
FateReason = Literal["content_differs", "special_category", "images_left_out"]
FateVerdict = Literal["stored", "duplicate", "rejected"]
ForgetOrderState = Literal["withheld", "undone", "erased"]
Grade = Literal["fact", "about_other", "habit", "limit", "plan"]
GuardrailHit = Literal["instruction", "forged_memory", "unseen_characters"]
HitView = Literal["own", "window", "continued"]
Intent = Literal[
    "small_talk",
    "recommendation",
    "complaint",
    "knowledge",
    "preference_confirmation",
    "navigation",
    "task",
    "general",
]
JobKind = Literal["import", "erasure", "document", "conversation_end"]
JobStatus = Literal["queued", "running", "succeeded", "failed", "dead"]
Judge = Literal["words", "model"]
KeyScope = Literal["memory:read", "memory:write", "knowledge:write", "admin"]
MemoryDecision = Literal["keep", "retire"]
MemoryKind = Literal["conversation", "segment", "statement", "episode", "consolidated", "manual"]
MemoryReviewLane = Literal["snapshots", "preferences", "profile"]
MemoryReviewReason = Literal["unsure", "stale"]
MemorySignal = Literal["corrected", "negative", "positive", "neutral"]
MemoryStanding = Literal["vital", "lasting", ""]
MessageInputRole = Literal["user", "assistant", "tool", "system", "developer"]
MessageRole = Literal["user", "assistant", "tool", "system"]
ModelRouteReason = Literal["intent", "corrected", "unsettled", "settled"]
ModelTier = Literal["light", "middle", "strong"]
NextAskReason = Literal[
    "missing",
    "possibly_outdated",
    "nothing_missing",
    "not_now",
    "refused_in_conversation",
    "enough_in_conversation",
    "asked_lately",
]
NumberProvenance = Literal["measured", "assumed", "promised"]
PassageOrder = Literal["relevance_first", "edges_first"]
Phase = Literal["opening", "in_depth", "task_execution", "confirmation", "after_sales"]
Priority = Literal["high", "medium", "low"]
ProblemCode = Literal[
    "about_unknown",
    "already_reviewed",
    "ask_answered",
    "budget_too_small",
    "collection_missing",
    "collection_not_empty",
    "collection_unknown",
    "confidence_above_ceiling",
    "conflict",
    "consolidation_undone",
    "delivery_not_ended",
    "delivery_unknown",
    "document_unknown",
    "expectation_failed",
    "experiment_conflict",
    "experiment_refused",
    "experiment_unknown",
    "expires_at_in_past",
    "filter_too_costly",
    "forbidden",
    "forget_order_decided",
    "forgotten",
    "headers_too_large",
    "idempotency_key_reused",
    "idempotency_twin_running",
    "instruction",
    "internal_error",
    "invalid_input",
    "invalid_key",
    "job_not_dead",
    "job_unknown",
    "key_bound_to_subject",
    "label_taken",
    "memory_not_in_receipt",
    "memory_too_large",
    "method_not_allowed",
    "not_found",
    "payload_too_large",
    "policy_unchanged",
    "policy_unknown",
    "quota_exceeded",
    "rate_limited",
    "refused",
    "request_timeout",
    "review_decided",
    "scope_missing",
    "sensitive",
    "source_unknown",
    "step_unknown",
    "task_finished",
    "too_many_steps",
    "too_many_webhooks",
    "unauthenticated",
    "unavailable",
    "unsupported_media_type",
    "upstream_keys_missing",
    "upstream_missing",
    "uri_too_long",
    "valid_at_in_future",
    "value_unclear",
    "version_mismatch",
    "webhook_off",
    "webhook_unknown",
]
PromptDegradedReason = Literal[
    "cached_content_not_configured",
    "prefix_too_small",
    "subject_is_new",
    "cached_content_being_made",
    "cached_content_unavailable",
]
PromptFormat = Literal["messages", "text", "plain"]
PromptOrder = Literal["u_shape", "relevance_first"]
PromptStyle = Literal["grouped", "compact", "full"]
ProposedReason = Literal[
    "absent",
    "added",
    "asks_for_everything",
    "contradiction",
    "duplicate",
    "echo",
    "ended",
    "evidence_missing",
    "forgotten",
    "instruction",
    "new",
    "no_lasting_words",
    "not_a_list",
    "not_asserted",
    "not_the_subject",
    "object_unknown",
    "older",
    "one_off",
    "possibly_outdated",
    "removed",
    "replaced",
    "schema",
    "sensitive",
    "unsure",
    "unsupported",
    "weaker_than_current",
    "declined",
]
ProposedSort = Literal["explicit", "implicit", "change", "constraint"]
Provenance = Literal["observation", "analysis", "corrected_by_staff", "confirmed_by_user", "imported"]
RecallLane = Literal["snapshots", "preferences", "tags", "profile", "notes", "replies", "documents"]
RecalledMemoryKind = Literal["conversation", "segment", "statement", "episode", "consolidated", "manual", "documents"]
RecalledMemoryLane = Literal["snapshots", "documents"]
RecalledMemoryProvenance = Literal[
    "observation",
    "analysis",
    "corrected_by_staff",
    "confirmed_by_user",
    "imported",
    "document",
]
RecalledReplySort = Literal["figure", "name", "promise", "recommendation"]
RefusalReason = Literal["other_release", "other_clauses", "other_relevance"]
RemovableNoteField = Literal["review_by", "vital_class"]
RemovableSnapshotField = Literal["category", "expires_at"]
RemovableTagField = Literal["address", "poi_id", "lat", "lon", "phone", "relation", "aliases"]
ReviewDecision = Literal["approve", "reject"]
ReviewState = Literal["open", "retired", "kept", "gone"]
SectionName = Literal["system", "guide", "profile", "memory", "task", "knowledge", "summary", "window", "query"]
SettledAskReason = Literal["older", "weaker_than_current", "not_a_list", "absent"]
SnapshotFateReason = Literal["forgotten", "confidence_above_ceiling", "expires_at_in_past"]
SnapshotFateVerdict = Literal["stored", "unchanged", "rejected"]
SnapshotKind = Literal["conversation", "segment", "statement", "episode", "consolidated", "manual", "note", "reply"]
StepStatus = Literal["pending", "in_progress", "completed", "failed"]
TagField = Literal["label", "kind", "address", "poi_id", "lat", "lon", "phone", "relation", "aliases"]
TagKind = Literal["place", "contact", "thing"]
TagMatchKind = Literal["exact", "alias", "fuzzy"]
TaskOutcome = Literal["success", "partial", "failure"]
TaskStatus = Literal["active", "finished"]
ToolAnswerReason = Literal[
    "already_saved",
    "one_off",
    "instruction",
    "forgotten",
    "not_remembered",
    "absent",
    "not_a_list",
    "older",
    "weaker_than_current",
]
ToolAnswerVerdict = Literal[
    "stored",
    "merged",
    "superseded",
    "unchanged",
    "rejected",
    "pending",
    "forgotten",
    "recalled",
]
ToolFormat = Literal["openai", "anthropic", "mcp"]
ToolLanguage = Literal["en", "zh"]
Understanding = Literal["rules", "model"]
UseKind = Literal["words", "reference", "value"]
Vendor = Literal["anthropic", "gemini", "openai", "openai_responses"]
VitalClass = Literal["allergy", "illness", "accessibility", "safety", "emergency", "legal"]
WebhookDeliveryState = Literal["pending", "delivered", "dead"]
WebhookDeliveryType = Literal[
    "memory.created",
    "memory.superseded",
    "memory.erased",
    "conversation.summarised",
    "job.dead",
    "webhook.test",
]
WebhookEvent = Literal["memory.created", "memory.superseded", "memory.erased", "conversation.summarised", "job.dead"]
WebhookOffReason = Literal["asked", "failing", "gone"]
WhyNot = Literal["unsure", "too_close", "another_topic", "sensitive"]
WrittenNoteVerdict = Literal["stored", "merged", "unchanged"]
WrittenPreferenceReason = Literal["older", "weaker_than_current"]
WrittenSnapshotVerdict = Literal["stored", "unchanged"]
