"""The cost of the OpenAI proxy for a call, beside the same model endpoint called directly."""
