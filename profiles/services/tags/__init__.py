"""Tags: labelled places and contacts, their details, and finding them."""
