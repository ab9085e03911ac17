"""Which of an application's tools does the most damage when a model calls it twice.

``tool`` has the nouns, ``words`` and ``classify`` decide, and three readers bring the tools: from
Python source that is never run, from an OpenAPI document, and from an MCP server.
"""
