# Traces and metrics of the proxy's requests, by OpenTelemetry's conventions for generative AI.
# Does not depend on HTTP, or on where they are sent (the SDK knows).
#
#   span        "chat MODEL", of kind CLIENT. It continues the caller's trace, and the upstream can continue it.
#   histograms  gen_ai.client.operation.duration, gen_ai.client.operation.time_to_first_chunk
#   counter     toolglean.leaked_calls: no convention has one
#
# Names: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai), as of November 2026, where all of
# them have the status "development". No message and no argument of a call is recorded.
"""OpenTelemetry, for the proxy."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from toolglean._install import needs
from toolglean._version import __version__
from toolglean.clients.proxy.metrics import MOST
from toolglean.clients.proxy.records import Record

try:
    from opentelemetry import metrics, propagate, trace
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import Span, SpanKind, Status, StatusCode
except ImportError as error:
    said = needs(f"toolglean.clients.proxy.telemetry needs {error.name}", "otel")
    raise ImportError(said, name=error.name) from error

__all__ = ["Telemetry", "export"]

PORTS = {"http": 80, "https": 443}
PROVIDERS = {"chat": "openai", "responses": "openai", "messages": "anthropic", "ollama": "ollama"}
"""`gen_ai.provider.name`, which says whose API it is, by our name of the API."""
DURATIONS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""Seconds: the bounds that the conventions recommend for how long requests take."""
FIRST = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
"""The same for the time until the first bytes."""


class Telemetry:
    """A `Watcher` that records a span and metrics for each request to a model, with the providers of the process.

    Args:
        upstream: the URL of the server.
    """

    def __init__(self, upstream: str) -> None:
        parts = urlsplit(upstream)
        self._server = {"server.address": parts.hostname or "", "server.port": parts.port or PORTS[parts.scheme]}
        self._tracer = trace.get_tracer("toolglean.proxy", __version__)
        meter = metrics.get_meter("toolglean.proxy", __version__)
        self._duration, self._first = (
            meter.create_histogram(f"gen_ai.client.operation.{name}", "s", explicit_bucket_boundaries_advisory=bounds)
            for name, bounds in (("duration", DURATIONS), ("time_to_first_chunk", FIRST))
        )
        self._calls = meter.create_counter("toolglean.leaked_calls", "{call}", "Calls moved from text to their place.")
        self._open: dict[int, Span] = {}
        self._models: set[str] = set()

    def begin(self, record: Record, headers: dict[str, str]) -> None:
        """Begin the span of a request, inside the trace that its headers name.

        Args:
            record, headers: as for `Watcher`.
        """
        if record.api not in PROVIDERS:
            return
        span = self._tracer.start_span("chat", propagate.extract(headers), SpanKind.CLIENT)
        propagate.inject(record.headers, trace.set_span_in_context(span))
        record.trace = trace.format_trace_id(span.get_span_context().trace_id)
        self._open[id(record)] = span

    def end(self, record: Record) -> None:
        """End it, and record the metrics.

        Args:
            record: as for `Watcher`.
        """
        span = self._open.pop(id(record), None)
        if span is None:
            return
        if len(self._models) < MOST:  # each name costs memory for good
            self._models.add(record.model)
        model = record.model if record.model in self._models else "other"
        common: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDERS[record.api],
            **({"gen_ai.request.model": model} if model else {}),
            **self._server,
        }
        failed = record.error or (str(record.status) if record.status >= 400 else "")
        measured = common | ({"error.type": failed} if failed else {})
        span.update_name(f"chat {model}".rstrip())
        span.set_attributes({**measured, "gen_ai.request.stream": record.streamed, **_found(record)})
        if failed:
            span.set_status(Status(StatusCode.ERROR))
        span.end()
        self._duration.record(record.took or 0.0, measured)
        if record.streamed and record.first is not None:
            self._first.record(record.first, measured)
        if record.counts.calls:
            self._calls.add(record.counts.calls, common)


def _found(record: Record) -> dict[str, Any]:
    found: dict[str, Any] = {"http.response.status_code": record.status} if record.status else {}
    if record.streamed and record.first is not None:
        found["gen_ai.response.time_to_first_chunk"] = record.first
    counts = record.counts
    return found | {
        "toolglean.leaked_calls": counts.calls,
        "toolglean.repairs": sorted(counts.repairs),
        "toolglean.problems": sorted(counts.problems),
    }


def export() -> None:
    """Send what is recorded to the OTLP endpoint that the environment names (`OTEL_EXPORTER_OTLP_ENDPOINT`, …)."""
    resource = Resource.create({"service.name": "toolglean-proxy"}).merge(OTELResourceDetector().detect())
    traces = TracerProvider(resource=resource)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(traces)
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    metrics.set_meter_provider(MeterProvider([reader], resource=resource))
