"""The addresses that the saver and the store call."""

from memory_platform.compat.langgraph import store, threads

urlpatterns = [*threads.urlpatterns, *store.urlpatterns]
