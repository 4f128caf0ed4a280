"""Answers that are made after the page's transaction: what asks a model, or opens scopes of its own, runs outside."""

from collections.abc import Callable

from django.http import HttpResponse


class AfterCommit(HttpResponse):
    """Stands in for an answer until the transaction of the page is closed; then ``answer`` makes that."""

    def __init__(self, answer: Callable[[], HttpResponse]) -> None:
        super().__init__()
        self.answer = answer
