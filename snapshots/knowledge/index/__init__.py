"""The index of chunks: their words in posting blocks, their vectors in cells."""
