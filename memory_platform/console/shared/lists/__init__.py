"""Lists of rows: counting, paging and refusing."""
