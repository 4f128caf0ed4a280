"""Keep the index whole: add what is missing, read again what is damaged, remove what is unused."""
