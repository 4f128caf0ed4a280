"""What gunicorn reads by itself when it is started from here."""

worker_class = "memory_platform.api.server.gunicorn_worker.ClockedWorker"
keepalive = 75
"""Seconds. A kept connection must idle out at the client first (httpx after 5, load balancers after 60): one that the
server closes fails the request that is just on its way. gunicorn's own 2 did."""


def post_worker_init(worker: object) -> None:
    """Let the models load while the first requests are served: the first one that needs them waits no longer."""
    from memory_platform.warm_up import warm_up  # noqa: PLC0415 -- needs Django, which the worker has set up

    warm_up(answering=True)
