"""The work queue. Postgres holds the items, workers claim them with a lease, wake-ups only say that there is work."""
