"""Which times a question names, in English and Chinese."""
