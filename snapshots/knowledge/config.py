"""The numbers of reading documents and cutting chunks, each with its source."""
