"""A proxy that repairs the answers of a server: a Starlette application on httpx."""

from toolglean.clients.proxy.application import BODY_LIMIT, application
from toolglean.clients.proxy.records import JsonLines, Record, RequestLog, Watcher
from toolglean.clients.proxy.upstream import Upstream
from toolglean.clients.proxy.workers import serve

__all__ = ["BODY_LIMIT", "JsonLines", "Record", "RequestLog", "Upstream", "Watcher", "application", "serve"]
