"""What gunicorn reads by itself when it is started from here."""

worker_class = "memory_platform.api.connections.ClockedWorker"
