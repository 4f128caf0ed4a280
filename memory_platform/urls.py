"""One list of addresses: the API, health, and the console."""

from django.contrib import admin
from django.urls import path

urlpatterns = [
    path("console/", admin.site.urls),
]
