"""Tables that documents show, made from the runs that are kept."""
