"""The door for mem0's clients: the hosted dialect of versions 1 and 2, and that of the self-hosted server."""
