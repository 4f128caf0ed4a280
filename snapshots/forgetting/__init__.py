"""Users' orders to forget: finding what they mean, hiding it, undoing that, erasing it."""
