"""What a message means because of what stood before it: orders to forget or remember, bare answers, consent."""
