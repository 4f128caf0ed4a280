"""A proxy in OpenAI's form: calls go on to the tenant's model endpoint with memory in them, and both turns are kept."""
