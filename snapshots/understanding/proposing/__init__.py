"""A chat model proposes notes, slots, fields and endings beside those of the classifiers; the gate decides."""
