"""Processes of the stack: started, watched, stopped."""
