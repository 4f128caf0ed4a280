"""What a tenant may set over the code's own numbers: kinds of values, sections of fields, checked documents (T4)."""
