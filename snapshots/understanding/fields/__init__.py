"""Fields that a product asks for in its policy, filled from notes that match them."""
