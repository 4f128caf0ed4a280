"""Version 1 of the API: each noun brings its own addresses."""

from memory_platform.api.v1 import conversations, messages, tenant

urlpatterns = [
    *tenant.urlpatterns,
    *conversations.urlpatterns,
    *messages.urlpatterns,
]
