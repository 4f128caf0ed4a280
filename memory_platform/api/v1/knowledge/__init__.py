"""Documents of a tenant and their collections."""
