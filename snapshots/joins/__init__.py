"""Join a subject with another one, for example an anonymous visitor who logged in, and undo it."""
