# A server of one API in front of a client of another. Does not depend on HTTP, or on any client's objects.
#
#   request.py     a request of the Messages API as one of the chat API
#   exchange.py    that, and the answer of the chat API as one of the Messages API
"""Anthropic's Messages API, served by a server that has only OpenAI's chat API. No package is needed."""

from toolglean.clients.across.exchange import Crossing
from toolglean.clients.across.request import CrossingError

__all__ = ["Crossing", "CrossingError"]
