"""Management commands of the laboratory."""
