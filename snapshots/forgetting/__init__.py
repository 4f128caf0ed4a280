"""Users' orders to forget: find their targets, hide them, undo that, erase them."""
