"""Effects of a later sentence on notes: it ends them, makes them doubtful, or repeats them."""
