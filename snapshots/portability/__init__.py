"""Export a subject as JSON lines, and import it again."""
