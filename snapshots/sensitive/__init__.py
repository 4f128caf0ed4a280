"""Card and identity numbers and secrets: found by form and checksum, masked, never learned."""
