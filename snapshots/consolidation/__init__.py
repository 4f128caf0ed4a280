"""Join memories of a subject that say nearly the same, and take them apart again."""
