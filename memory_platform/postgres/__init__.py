"""The database backend: a pool of connections and prepared statements."""
