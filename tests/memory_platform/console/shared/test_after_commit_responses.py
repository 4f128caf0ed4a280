"""A page that is made after the transaction keeps what its decorators said. Rows: D2."""

from django.http import HttpResponse

from memory_platform.console.shared.after_commit_responses import AfterCommitResponse


def test_the_real_response_has_the_headers_of_the_placeholder() -> None:
    placeholder = AfterCommitResponse(lambda: HttpResponse("done", content_type="text/csv"))
    placeholder["Cache-Control"] = "no-store"
    response = placeholder.answer()
    assert response["Cache-Control"] == "no-store"
    assert response["Content-Type"] == "text/csv"
    assert response.content == b"done"
