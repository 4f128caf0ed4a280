"""Documents of a tenant beside memory: read, cut into chunks, indexed, searched and cited."""
