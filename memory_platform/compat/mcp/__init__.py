"""The MCP server: memory as tools and resources of any MCP client, by HTTP and by stdio."""
