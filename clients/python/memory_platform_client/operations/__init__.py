"""The operations of the API, each declared once."""
