"""The site itself: menu, start page, colours, texts."""
