"""Version 1 of the API: each noun brings its own addresses."""

from memory_platform.api.v1 import tenant

urlpatterns = [
    *tenant.urlpatterns,
]
