"""What of a message is believed: extracted, gated, doubted, written, reviewed."""
