"""What came of what was recalled: which memories a reply used, how the user took it, and the tallies of both."""
