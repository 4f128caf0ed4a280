"""The settings of a tenant: kinds of values, sections of fields, checked documents."""
