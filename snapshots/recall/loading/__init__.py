"""Load indexes of a memory as it is or was, from rows and sealed blocks."""
