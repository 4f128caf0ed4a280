"""The proxy's addresses, as OpenAI's SDKs put them behind their ``base_url``."""

from django.urls import path, re_path

from memory_platform.compat.openai.sessions.views import make_item_paths
from memory_platform.compat.openai.views import ChatCompletionsView, ModelsView, ResponsesView, UnknownPathView

BASE = "compat/openai/v1"

urlpatterns = [
    path(f"{BASE}/chat/completions", ChatCompletionsView.as_view(), name="openai-chat-completions"),
    path(f"{BASE}/responses", ResponsesView.as_view(), name="openai-responses"),
    path(f"{BASE}/models", ModelsView.as_view(), name="openai-models"),
    path(f"{BASE}/models/<path:model>", ModelsView.as_view(), name="openai-model"),
    *make_item_paths("compat/openai/sessions"),
    re_path(r"^compat/openai(?:/.*)?$", UnknownPathView.as_view(), name="openai-unknown"),
]
