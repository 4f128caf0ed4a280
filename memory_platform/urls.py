"""One list of addresses: the API, health, and the console."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("memory_platform.api.urls")),
    path("console/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),  # the language chooser of the console
]
