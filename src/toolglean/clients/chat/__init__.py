"""Leaked calls in OpenAI's chat API, on plain dicts: for proxies. No package is needed."""

from toolglean.clients.chat.reader import StreamReader, Tools, adict_chunks, dict_chunks, dict_completion

__all__ = ["StreamReader", "Tools", "adict_chunks", "dict_chunks", "dict_completion"]
