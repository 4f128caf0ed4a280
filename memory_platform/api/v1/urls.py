"""Version 1 of the API: each resource declares its URLs. The busiest come first: Django tries them in turn."""

from memory_platform.api.v1.administration import (
    erasures,
    export_and_import,
    jobs,
    keys,
    tenant,
    upstreams,
    usage,
    webhooks,
)
from memory_platform.api.v1.conversations import conversations, messages
from memory_platform.api.v1.knowledge import collections, document_grounding, document_search, document_text, documents
from memory_platform.api.v1.memories import agent_tasks, consolidations, forget_orders, notes, reviews, snapshots
from memory_platform.api.v1.policies import experiments, field_tryout_view, policies
from memory_platform.api.v1.profiles import candidates, forget_belief, preferences, profile, subjects, tags
from memory_platform.api.v1.recall import asks, context, outcome, recall, receipts
from memory_platform.api.v1.tools import tools

urlpatterns = [
    *recall.urlpatterns,
    *context.urlpatterns,
    *messages.urlpatterns,
    *tenant.urlpatterns,
    *policies.urlpatterns,
    *field_tryout_view.urlpatterns,
    *experiments.urlpatterns,
    *usage.urlpatterns,
    *upstreams.urlpatterns,
    *subjects.urlpatterns,
    *profile.urlpatterns,
    *preferences.urlpatterns,
    *tags.urlpatterns,
    *candidates.urlpatterns,
    *conversations.urlpatterns,
    *snapshots.urlpatterns,
    *notes.urlpatterns,
    *forget_belief.urlpatterns,
    *reviews.urlpatterns,
    *consolidations.urlpatterns,
    *forget_orders.urlpatterns,
    *document_search.urlpatterns,
    *document_text.urlpatterns,
    *document_grounding.urlpatterns,
    *documents.urlpatterns,
    *collections.urlpatterns,
    *receipts.urlpatterns,
    *outcome.urlpatterns,
    *erasures.urlpatterns,
    *jobs.urlpatterns,
    *keys.urlpatterns,
    *webhooks.urlpatterns,
    *export_and_import.urlpatterns,
    *tools.urlpatterns,
    *asks.urlpatterns,
    *agent_tasks.urlpatterns,
]
