"""The share of needed facts that contexts hold, by budget, asked over HTTP as a product asks."""
