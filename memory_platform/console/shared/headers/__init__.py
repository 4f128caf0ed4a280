"""The head of every page of one thing: its sentence, status, facts and acts."""
