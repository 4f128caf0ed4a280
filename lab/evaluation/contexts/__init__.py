"""What contexts bring of what a question needs, by their budget, asked over HTTP as a product asks."""
