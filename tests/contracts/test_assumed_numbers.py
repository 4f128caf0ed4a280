"""The numbers that nobody has measured yet, in one list: it may shrink, and grows only by an edit here. Rows: T4."""

import dataclasses

from tests.contracts.test_code import policies

ASSUMED = {
    "memory_platform.api.ApiConfig": (
        "tries drained_bytes drained_s drained_pause_s head_s body_s pause_s answer_s idempotency_key_chars "
        "token_chars twin_wait_ms usage_days"
    ),
    "memory_platform.console.shared.FiguresPolicy": "series counted",
    "memory_platform.console.shared.ReplayPolicy": "examples",
    "memory_platform.console.shared.OperationPolicy": "workers_s beat_late_s next_runs examples",
    "memory_platform.console.shared.FindPolicy": (
        "query_chars words few head shown slice slips_ms wait_ms begins inside alike tells "
        "id_first name_first full_first"
    ),
    "memory_platform.console.shared.SubjectPagePolicy": (
        "beliefs notes rows text_chars sources sources_each changes steps"
    ),
    "memory_platform.devstack.ServerConfig": "connect_timeout",
    "memory_platform.devstack.SupervisorConfig": (
        "first_pause longest_pause steady_after starts_before_ready part_stop_timeout"
    ),
    "lab.evaluation.GridConfig": (
        "view space smoothing related_share related_cosine decay preference hint days recency"
    ),
    "lab.evaluation.TuningConfig": "rounds least_gain folds",
    "memory_platform.providers.ChatConfig": (
        "rewrite_s summarise_s extract_s judge_s retries answer_tokens text_chars answer_bytes"
    ),
    "memory_platform.providers.CircuitConfig": "failures pause_s",
    "memory_platform.providers.EndpointConfig": "attempts first_wait_s longest_wait_s jitter_s late_s",
    "memory_platform.providers.PromptCacheConfig": "seconds lives last extended rests answer_bytes cleared",
    "memory_platform.providers.RerankConfig": "head seconds query_chars text_chars",
    "memory_platform.providers.RemoteEmbeddingConfig": "further_text_s longest_s text_chars kept_s",
    "memory_platform.providers.EmbeddedConfig": (
        "local_text_chars questions_kept related_cosine related_words words_kept"
    ),
    "profiles.BeliefConfig": "sayings_kept clock_tolerance search_text_chars",
    "profiles.TagLookupConfig": "alias synonym relation inside_query fuzzy limit",
    "profiles.elicitation.AskConfig": "refused_rests",
    "snapshots.consolidation.ConsolidationConfig": "least_shared longest at_once writing_s daily",
    "snapshots.context.ContextPolicy": "min_relevance filling_relevance summary task message_overhead "
    "candidates_most left_out_noted texts_remembered tier tier_by_intent raised_turns good_hit_share",
    "snapshots.embedding.BackfillConfig": "batch",
    "snapshots.embedding.DropConfig": "batch",
    "snapshots.embedding.SayingConfig": "least_words least_characters batch a_run",
    "snapshots.embedding.WalkConfig": "page",
    "snapshots.episodes.EpisodeConfig": "partial taught_all part_chars",
    "snapshots.episodes.TaskConfig": "steps shown scratchpad_chars",
    "snapshots.erasure.ErasureConfig": "batch tries left_behind",
    "snapshots.notes.HabitConfig": "looked_at_after",
    "snapshots.forgetting.ForgettingConfig": (
        "answers_after erase_every erased_at_once notes_compared told_elsewhere turns_searched"
    ),
    "snapshots.understanding.believing.DoubtConfig": "least_confidence plain_confidence",
    "snapshots.echo.EchoConfig": (
        "sentence_chars message_chars memory_chars memories receipts receipts_of_conversation prompts within"
    ),
    "snapshots.understanding.believing.ExtractionConfig": "max_analysed_chars max_value_chars",
    "snapshots.summaries.RunningConfig": (
        "budget words tolerated from_source user_weight kept_before line_chars messages_read prompt_chars"
    ),
    "snapshots.understanding.statements.SummaryConfig": (
        "segment_turns max_sentences max_topics base_importance importance_per_cue"
    ),
    "snapshots.feedback.TurnJudgingConfig": "turns chars",
    "snapshots.feedback.LoopConfig": "answer_within replies_read tally_every tally_batch indicators_every",
    "snapshots.feedback.SignalConfig": "next_chars context_chars answer_words echoed_units concerned_lead",
    "snapshots.feedback.UtilisationConfig": "reply_chars memory_chars",
    "snapshots.lifecycle.ArchiveConfig": "after stretch batch level daily",
    "snapshots.lifecycle.BackfillRunConfig": "every limit",
    "snapshots.lifecycle.CalibrationConfig": "judged_least daily batch",
    "snapshots.lifecycle.CountRunConfig": "every",
    "snapshots.lifecycle.EvictionConfig": "subject tenant daily",
    "snapshots.lifecycle.IdleConfig": "batch",
    "snapshots.lifecycle.PurgePolicy": (
        "done_work job_runs receipts candidates fast_lane asks tool_saves acts ended_jobs model_usage keys batch "
        "batch_most rest"
    ),
    "snapshots.lifecycle.ReviewConfig": "kept_for open_most daily batch",
    "snapshots.JobConfig": "lease attempts backoff backoff_cap sweep_every run",
    "snapshots.policies.HoldingPolicy": "tenants",
    "snapshots.portability.PortabilityConfig": "export_rows export_ids import_lines",
    "snapshots.queue.QueueConfig": (
        "lease renew_every conversation_batch summary_batch subject_batch subjects_visited outage_pause turn "
        "look_every seat seat_renewed_every"
    ),
    "snapshots.queue.WakeUpConfig": "quiet life",
    "snapshots.recall.EarlierConfig": "at_once build_bytes changed_bytes dimension_bytes wait_s waiting",
    "snapshots.recall.RecallPolicy": (
        "asked_again asking_chars clock_skew_seconds heard_lately image_cache_bytes known_subjects tag_question_chars"
    ),
    "snapshots.recall.ScoringPolicy": "alike_cosines asked_alike related_words sentence_least sitting_gap_hours",
    "snapshots.recall.RewriteConfig": "question_chars wording_chars kept own_words rank_k",
    "snapshots.recall.SealingConfig": "every time batch batch_bytes others_kept",
    "snapshots.relevance.RelevanceConfig": "asked_reply asked_from named_need unasked_reply slots_kept slots_embedded",
    "snapshots.receipts.ReceiptConfig": "score_digits spread_every spread_batch",
    "snapshots.window.WindowConfig": "grave_for",
    "tenants.KeyConfig": "rotation_overlap",
    "tenants.LedgerConfig": "every batch tier",
    "tenants.LimitConfig": "messages_per_day stored_snapshots trusted_for stock_trusted_for near recount_after",
    "tenants.ModelUseConfig": "daily_tokens",
    "tenants.RunConfig": "beat_tolerance least_gap late lease mark_every deaths time continue_every",
    "tenants.ScopeConfig": "idle",
}
"""Names of the assumed fields by policy. One that was measured leaves; what is to settle it stands at the field."""


def assumed_fields(policy: type) -> list[str]:
    found = [(field.name, field.metadata.get("provenance")) for field in dataclasses.fields(policy)]
    return [name for name, provenance in found if provenance and provenance.kind == "assumed"]


def test_the_list_of_assumed_numbers_is_complete() -> None:
    found = {
        f"{policy.__module__.removesuffix('.policy')}.{policy.__name__}": set(names)
        for policy in policies()
        if (names := assumed_fields(policy))
    }
    assert found == {policy: set(names.split()) for policy, names in ASSUMED.items()}


def test_every_assumed_number_names_its_owner_and_what_will_settle_it() -> None:
    for policy in policies():
        for field in dataclasses.fields(policy):
            provenance = field.metadata.get("provenance")
            if provenance and provenance.kind == "assumed":
                owner, _, settled_by = provenance.source.partition(": ")
                assert owner, field.name
                assert settled_by, field.name
