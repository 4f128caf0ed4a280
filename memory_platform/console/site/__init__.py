"""The console as a site: menu, tenant scope of every page, start page, colours."""
