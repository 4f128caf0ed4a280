"""The release of this code, recorded in receipts."""

# Counts up with whatever changes how memories are judged or how prompts are made: an answer that another release gave
# cannot be given anew by this one. What says nothing was made by release 1.
RELEASE = "2"
