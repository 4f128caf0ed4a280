"""How much of what was said recall and contexts find again, on data sets with questions."""
