"""Fields that a product asks for: named and described in its policy, filled from the notes that fit them."""
