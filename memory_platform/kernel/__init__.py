"""Text, ids, clocks, errors and caches that everything else may use."""
