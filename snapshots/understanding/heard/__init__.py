"""Messages that mean something because of the turn before them: orders, bare answers, consent."""
