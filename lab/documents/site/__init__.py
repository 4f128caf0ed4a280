"""The documentation site: MkDocs makes it of ``docs/``, the READMEs and the OpenAPI document."""
