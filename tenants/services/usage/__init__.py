"""What a tenant may use, what it used, and what that costs."""
