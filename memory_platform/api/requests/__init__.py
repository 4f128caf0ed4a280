"""What comes in: addresses, bodies and fields, checked before anything reads them."""
