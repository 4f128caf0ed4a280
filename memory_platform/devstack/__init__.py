"""`make run`: Postgres, Redis, workers and the web server as one supervised stack."""
