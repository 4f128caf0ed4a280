"""Messages that mean something because of the turn before them: orders, offers, bare answers."""
