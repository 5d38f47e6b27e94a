# One package for each third-party library, with the extra that installs it, over four layers that need none:
#
#   openai/  ollama/  mcp/  httpx/  proxy/     the libraries
#   across/                                    a client of one API in front of a server of another
#   repair/                                    a request, and the bytes of its answer
#   chat/  responses/  messages/               the APIs of OpenAI and Anthropic, on plain dicts
#   ollama_lines.py                            Ollama's, too
#   streams.py                                 reading a stream to its end, whatever ends it
#
# Does not depend on how calls are written or read. Nothing is imported here: without openai you can still use ollama.
"""Adapters for clients: `toolglean.clients.openai`, `.ollama`, `.mcp`, `.httpx`, and `.proxy`."""

__all__: list[str] = []
