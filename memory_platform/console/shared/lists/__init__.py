"""Lists of rows: what they count, page through and refuse."""
