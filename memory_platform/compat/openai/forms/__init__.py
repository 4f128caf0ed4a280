"""The two forms of calls: chat completions and responses, each read and written by its own dialect."""
