"""Version 1 of the API: each noun brings its own addresses."""

from memory_platform.api.v1 import (
    candidates,
    context,
    conversations,
    erasures,
    jobs,
    messages,
    outcome,
    preferences,
    profile,
    recall,
    receipts,
    snapshots,
    subjects,
    tags,
    tenant,
)

urlpatterns = [
    *tenant.urlpatterns,
    *subjects.urlpatterns,
    *profile.urlpatterns,
    *preferences.urlpatterns,
    *tags.urlpatterns,
    *candidates.urlpatterns,
    *conversations.urlpatterns,
    *messages.urlpatterns,
    *snapshots.urlpatterns,
    *recall.urlpatterns,
    *context.urlpatterns,
    *receipts.urlpatterns,
    *outcome.urlpatterns,
    *erasures.urlpatterns,
    *jobs.urlpatterns,
]
