"""The addresses that mem0's clients call, below one prefix.

The API's middleware drops a slash at the end, so that both forms are answered and none is redirected. A host that ends
in a slash makes a path with two of them.
"""

from django.urls import path, re_path

from memory_platform.compat.mem0.calls import (
    add_events,
    adding,
    exports_and_counts,
    feedback,
    holders,
    memories,
    project_and_profiles,
    webhooks,
)
from memory_platform.compat.mem0.calls.older_memories_view import OlderMemoriesView
from memory_platform.compat.mem0.calls.searching import SearchView

ONE = "<own_id:memory_id>"
HOLDER = "<str:kind>/<path:name>"
PROJECTS = "api/v1/orgs/organizations/<str:org_id>/projects"
NOT_SERVED = project_and_profiles.NotServedView.as_view
ONE_MEMORY = memories.OneMemoryView.as_view()
HISTORY = memories.HistoryView.as_view()

HOSTED = [
    path("v3/memories/search", SearchView.as_view()),
    path("v3/memories/add", adding.AddView.as_view()),
    path("v3/memories", memories.ListView.as_view()),
    re_path(r"^/*v1/ping$", project_and_profiles.PingView.as_view()),
    path("v1/memories/events", add_events.EventsView.as_view()),
    path(f"v1/memories/{ONE}", ONE_MEMORY),
    path(f"v1/memories/{ONE}/history", HISTORY),
    path(f"v1/memories/{HOLDER}", holders.HolderMemoriesView.as_view()),
    path("v1/batch", memories.BatchView.as_view()),
    path("v1/feedback", feedback.FeedbackView.as_view()),
    path("v1/exports", exports_and_counts.ExportsView.as_view()),
    path("v1/exports/get", exports_and_counts.ReadExportView.as_view()),
    path("v1/summary", exports_and_counts.SummaryView.as_view()),
    path("v1/stats", exports_and_counts.StatsView.as_view()),
    path("v1/events", add_events.EventsView.as_view()),
    path("v1/event/<own_id:event_id>", add_events.EventView.as_view()),
    path("v1/entities", holders.HoldersView.as_view()),
    *(path(f"v1/{kind}s", holders.HoldersView.as_view(kind=kind)) for kind in ("user", "agent", "app", "run")),
    path(f"v1/entities/{HOLDER}", holders.HolderView.as_view()),
    path("v2/entities/user/<str:name>/profile", project_and_profiles.HolderProfileView.as_view()),
    path(f"v2/entities/{HOLDER}", holders.HolderView.as_view()),
    path("v2/profiles/jobs", project_and_profiles.ProfileJobsView.as_view()),
    path("v2/profiles/jobs/<own_id:job_id>", project_and_profiles.ProfileJobView.as_view()),
    path("v2/profiles/settings", project_and_profiles.ProfileSettingsView.as_view()),
    path(f"{PROJECTS}", NOT_SERVED(reason=project_and_profiles.PROJECTS)),
    path(f"{PROJECTS}/<str:project_id>", project_and_profiles.ProjectView.as_view()),
    path(f"{PROJECTS}/<str:project_id>/members", NOT_SERVED(reason=project_and_profiles.MEMBERS)),
    path("api/v1/webhooks/projects/<str:project_id>", webhooks.ProjectWebhooksView.as_view()),
    path("api/v1/webhooks/<str:webhook_id>", webhooks.OneProjectWebhookView.as_view()),
]
FIRST_VERSION = [
    path("v1/memories", OlderMemoriesView.as_view(as_list=True)),
    path("v1/memories/search", SearchView.as_view(as_list=True)),
    path("v2/memories", memories.ListView.as_view(as_list=True)),
    path("v2/memories/search", SearchView.as_view(as_list=True)),
]
SELF_HOSTED = [
    path("memories", OlderMemoriesView.as_view(free_fields=True)),
    path("search", SearchView.as_view(free_fields=True)),
    path(f"memories/{ONE}", ONE_MEMORY),
    path(f"memories/{ONE}/history", HISTORY),
    path("entities", holders.HoldersView.as_view()),
    path(f"entities/{HOLDER}", holders.HolderView.as_view()),
    path("reset", NOT_SERVED(reason=project_and_profiles.RESET)),
    path("configure", NOT_SERVED(reason=project_and_profiles.CONFIGURE)),
]
urlpatterns = [*FIRST_VERSION, *HOSTED, *SELF_HOSTED, re_path("", project_and_profiles.Mem0PathUnknownView.as_view())]
