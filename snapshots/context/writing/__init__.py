"""Render the prompt: fenced, dated, in the form that a caller or a vendor asks for."""
