"""Notes: read, written by hand, stored for the maker that reads messages, confirmed, edited, retired."""
