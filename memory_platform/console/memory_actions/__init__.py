"""What staff can do to one memory or to many: words, forms, pages, buttons."""
