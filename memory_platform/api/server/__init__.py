"""What stands around the views: connections, middleware, health."""
