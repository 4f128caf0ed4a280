"""The door for LangGraph: checkpoints of threads, and a store, as the client's saver and store call them."""
