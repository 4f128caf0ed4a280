"""The URLs of the API, health, and the console."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from memory_platform.console.log_in.log_in_urls import list_library_names

urlpatterns = [
    path("", include("memory_platform.api.urls")),
    path("", include("memory_platform.compat.urls")),
    path("console/", admin.site.urls),
    path("console/", include(list_library_names())),
    path("console", RedirectView.as_view(pattern_name="admin:index")),
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("i18n/", include("django.conf.urls.i18n")),  # the language chooser of the console
]
