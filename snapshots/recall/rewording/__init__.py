"""Other wordings of a question by a chat model, and the merged results of all."""
