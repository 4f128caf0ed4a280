"""A tenant's own model endpoints, to which its calls go on."""
