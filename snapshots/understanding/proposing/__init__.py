"""What a chat model may add to what the taught reader finds: it proposes, the gate decides."""
