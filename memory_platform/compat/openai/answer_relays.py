"""Passes an answer on as it comes, listens to it, and tells when the client has it all or has gone."""

import time
from collections.abc import Callable, Generator, Iterator

import httpx

from memory_platform.compat.openai.config import PROXY
from memory_platform.compat.openai.event_stream import EventSplitter, make_event, read_events
from memory_platform.compat.openai.forms.dialects import StreamListener
from memory_platform.compat.openai.forms.spoken_items import ModelReply
from memory_platform.compat.openai.openai_errors import (
    UPSTREAM,
    UpstreamBroken,
    UpstreamFailed,
    UpstreamTimedOut,
    make_error_body,
)

# Called once, when the server has done with an answer: with the reply if it was heard to its end, else with None.
AfterAnswer = Callable[[ModelReply | None], None]


class WholeAnswer:
    """The body of an answer that was read whole."""

    def __init__(self, body: bytes, reply: ModelReply | None, after: AfterAnswer) -> None:
        self._body = body
        self._reply = reply
        self._after = after
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield self._body

    def close(self) -> None:
        """Called by the server after the last byte, or when the client has gone."""
        if not self._is_closed:
            self._is_closed = True
            self._after(self._reply)


class StreamedAnswer:
    """The events of an answer, each passed on when it is whole.

    A stream that the endpoint breaks off ends with an event that says so: without it a client would take half a reply
    for a whole one.
    """

    def __init__(self, answer: httpx.Response, listener: StreamListener, after: AfterAnswer) -> None:
        self._answer = answer
        self._listener = listener
        self._after = after
        self._ends = time.monotonic() + PROXY.total_s
        self._pieces = self._pass_on()
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """Called by the server after the last byte, or when the client has gone: the endpoint is hung up on then."""
        if self._is_closed:
            return
        self._is_closed = True
        self._pieces.close()
        self._answer.close()
        self._after(self._listener.reply)

    def _pass_on(self) -> Generator[bytes, None, None]:
        splitter = EventSplitter()
        try:
            for piece in self._answer.iter_raw():
                yield from self._hear(splitter.feed(piece))
                if time.monotonic() > self._ends:
                    raise UpstreamTimedOut
            yield from self._hear(splitter.take_rest())
        except httpx.TimeoutException:
            yield self._make_broken_off_event(UpstreamTimedOut())
        except (httpx.HTTPError, httpx.StreamError):
            yield self._make_broken_off_event(UpstreamBroken())
        except UpstreamFailed as failed:
            yield self._make_broken_off_event(failed)

    def _hear(self, whole: bytes) -> Iterator[bytes]:
        if whole:
            for event in read_events(whole):
                self._listener.hear(event)
            yield whole

    def _make_broken_off_event(self, failed: UpstreamFailed) -> bytes:
        return make_event(make_error_body(failed.detail, UPSTREAM, failed.code))


class UnreadAnswer(StreamedAnswer):
    """An answer that is passed on as it is: packed, or of a kind that holds no reply."""

    def _pass_on(self) -> Generator[bytes, None, None]:
        for piece in self._answer.iter_raw():
            yield piece
            if time.monotonic() > self._ends:
                return
