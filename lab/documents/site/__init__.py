"""The documentation site: what MkDocs makes of ``docs/``, the READMEs and the OpenAPI document."""
