"""Feedback on contexts: which memories a reply used, how the user received it, and the tallies of both."""
