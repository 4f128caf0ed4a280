"""Orders of users to forget: what they mean, hiding it, bringing it back, erasing it."""
