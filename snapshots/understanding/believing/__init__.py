"""From a message to beliefs: extract candidates, gate them, doubt them, write them, review them."""
