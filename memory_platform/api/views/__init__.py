"""What all views share: order of checks, pages, versions, repeats, how answers are written."""
