"""How long things are kept, and how they are removed."""
