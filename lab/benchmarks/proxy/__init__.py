"""What the OpenAI proxy costs a call, beside the same model endpoint called directly."""
