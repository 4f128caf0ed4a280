"""Celery's configuration: no prefetch, results ignored, short waits on the broker. How a job ends stands with the jobs
(``tenants.job_decorators``).

Wake-ups may be lost, repeated or late, so no setting protects them. Worker and beat reconnect by themselves when the
broker comes back.
"""

from django.conf import settings

broker_url = settings.CELERY_BROKER_URL
broker_connection_retry_on_startup = True
broker_connection_max_retries = None  # for as long as it takes; the default gives up after a hundred tries
broker_transport_options = (
    # RabbitMQ hands out anew by itself what a lost worker had. A blocked one must not hold a publisher for ever.
    {"write_timeout": 5}
    if broker_url.startswith("amqp")
    else {
        "visibility_timeout": 600,
        "socket_timeout": 5,
        "socket_connect_timeout": 0.3,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
    }
)
# A publisher never waits for a broker that is down: the sweep finds the work later.
task_publish_retry = False
task_ignore_result = True
result_expires = None  # no results, so nothing for beat to clean up
worker_prefetch_multiplier = 1
worker_consumer = "memory_platform.celery_reconnect:PatientConsumer"
# After a lost connection the default fetches less until running tasks end, and has left workers idle for good.
worker_enable_prefetch_count_reduction = False
worker_cancel_long_running_tasks_on_connection_loss = False  # a drain needs no broker; its lease is in Postgres
# How many jobs share a database connection; Celery's Django part knows only this spelling. Without it every job opens
# a pool anew: an empty wake-up took 14 ms instead of 6. A job that finds its connection broken drops it.
CELERY_DB_REUSE_MAX = 1_000
worker_hijack_root_logger = False
worker_send_task_events = False
task_default_queue = "memory"
timezone = "UTC"
enable_utc = True
beat_scheduler = "memory_platform.beat_scheduler:TimetableScheduler"
beat_max_loop_interval = 2
