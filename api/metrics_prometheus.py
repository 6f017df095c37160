"""Edge stage: `metrics.EdgeMetrics` on a Prometheus registry that the composition root made (R-15).

A registry belongs to one service: nothing is registered with the library's global one, so that two of them in
one process count for themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from api.codes import CloseCode
from api.condition import Condition, LiveCounts
from api.messages import ResetReason
from api.metrics import NoResume, Slow
from service.metrics_prometheus import PrometheusProjectorMetrics

#: From an empty delta to a snapshot's page (256 KiB) and a row greater than that.
_FRAME_BUCKETS: Final = (128, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304)
#: Around the flush tick of 33 ms, and the 60 ms that a delivery may take at p99.
_BROADCAST_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.035, 0.045, 0.06, 0.1, 0.25, 0.5, 1, 5)
#: A snapshot should take 3 ms; `wait=projected` may take 10 s.
_REQUEST_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, kw_only=True)
class Meters:
    """The metrics of one process, on one registry."""

    projector: PrometheusProjectorMetrics
    edge: "PrometheusEdgeMetrics"


def meters(version: str) -> Meters:
    """Everything at zero, on a registry of its own; `version` is shown as that of the service."""
    registry = CollectorRegistry()
    return Meters(
        projector=PrometheusProjectorMetrics(registry), edge=PrometheusEdgeMetrics(registry, version)
    )


class PrometheusEdgeMetrics:
    """Counts from the start of the process; gauges are set when they are asked for."""

    def __init__(self, registry: CollectorRegistry, version: str) -> None:
        """Register every metric of the edge, once a registry, and the standard ones of the process."""
        self._registry = registry
        ProcessCollector(registry=registry)
        _gauge(registry, "turnfold_build_info", "The running version; always 1.", "version").labels(
            version
        ).set(1)
        self._start_s = _gauge(registry, "turnfold_start_seconds", "From start to the first answer.")
        self._register_http(registry)
        self._register_live(registry)
        self._begin_at_zero()

    def _register_http(self, registry: CollectorRegistry) -> None:
        self._requests = _counter(
            registry,
            "turnfold_http_requests_total",
            "Requests by what they were answered.",
            "method",
            "route",
            "status",
        )
        self._request_s = _histogram(
            registry, "turnfold_http_request_seconds", "To an answer's end.", _REQUEST_BUCKETS_S, "route"
        )

    def _register_live(self, registry: CollectorRegistry) -> None:
        self._resumes = _counter(
            registry, "turnfold_resumes_total", "How subscriptions began.", "outcome", "reason"
        )
        self._resets = _counter(registry, "turnfold_resets_total", "Subscriptions sent `reset`.", "reason")
        self._frame_bytes = _histogram(
            registry, "turnfold_frame_bytes", "Frames as they were encoded.", _FRAME_BUCKETS, "type"
        )
        self._deliveries = _counter(
            registry, "turnfold_deliveries_total", "Deltas put into subscribers' outboxes."
        )
        self._broadcast_s = _histogram(
            registry,
            "turnfold_broadcast_seconds",
            "From a commit's announcement to its deltas in every outbox.",
            _BROADCAST_BUCKETS_S,
        )
        self._slow = _counter(
            registry, "turnfold_slow_clients_total", "Clients that did not read.", "reaction"
        )
        self._closes = _counter(
            registry, "turnfold_socket_closes_total", "Sockets closed by the service.", "code"
        )
        self._failures = _counter(
            registry, "turnfold_live_failures_total", "Failures that no caller waits for.", "what"
        )

    def _begin_at_zero(self) -> None:
        """A rate needs a zero to grow from: the first slow client must be seen as one more."""
        self._resumes.labels("resumed", "")
        for why in get_args(NoResume):
            self._resumes.labels("snapshot", why)
        for reason in get_args(ResetReason):
            self._resets.labels(reason)
        for reaction in get_args(Slow):
            self._slow.labels(reaction)
        for code in CloseCode:
            self._closes.labels(code.value)

    def started(self, took_s: float) -> None:
        self._start_s.set(took_s)

    def requested(self, method: str, route: str, status: int) -> None:
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, status).inc()

    def served(self, route: str, took_s: float) -> None:
        self._request_s.labels(route).observe(took_s)

    def subscribed(self, snapshot_because: NoResume | None) -> None:
        if snapshot_because is None:
            self._resumes.labels("resumed", "").inc()
        else:
            self._resumes.labels("snapshot", snapshot_because).inc()

    def restarted(self, reason: ResetReason) -> None:
        self._resets.labels(reason).inc()

    def encoded(self, kind: str, size_bytes: int) -> None:
        self._frame_bytes.labels(kind).observe(size_bytes)

    def broadcast(self, delivery_count: int, waited_s: float) -> None:
        self._deliveries.inc(delivery_count)
        self._broadcast_s.observe(waited_s)

    def slow(self, reaction: Slow) -> None:
        self._slow.labels(reaction).inc()

    def closed(self, code: CloseCode) -> None:
        self._closes.labels(code.value).inc()

    def failed(self, what: str) -> None:
        self._failures.labels(what).inc()

    def exposition(self, condition: Condition, live: LiveCounts) -> bytes:
        return generate_latest(_Page(self._registry, condition, live))


class _Page:
    """One scrape: what was counted, and the present, which is not kept: an old number would look like a new one."""

    def __init__(self, registry: CollectorRegistry, condition: Condition, live: LiveCounts) -> None:
        self._registry = registry
        self._condition = condition
        self._live = live

    def collect(self) -> Iterator[Metric]:
        yield from self._of_condition()
        yield from self._of_live()
        for metric in self._registry.collect():
            # A time of creation beside every counter doubles the page and tells nothing.
            metric.samples = [one for one in metric.samples if not one.name.endswith("_created")]
            yield metric

    def _of_condition(self) -> Iterator[Metric]:
        found = self._condition
        is_ready, is_up = found.trouble is None, found.inventory is not None
        yield _value("turnfold_ready", "1 where /readyz says yes, else 0.", is_ready)
        yield _value("turnfold_store_up", "1 where the store answered, else 0.", is_up)
        events = GaugeMetricFamily(
            "turnfold_lag_events", "Accepted events that are not projected.", labels=["partition"]
        )
        age = GaugeMetricFamily(
            "turnfold_lag_seconds", "Age of the oldest event that is not projected.", labels=["partition"]
        )
        for lag in found.partitions:
            age.add_metric([str(lag.partition)], lag.lag_ms / 1000)
            if lag.lag_events is not None:
                events.add_metric([str(lag.partition)], lag.lag_events)
        yield from (events, age)
        sessions, entries = (
            (None, None)
            if found.inventory is None
            else (found.inventory.session_count, found.inventory.quarantined_count)
        )
        yield _value("turnfold_sessions", "Sessions in the store.", sessions)
        yield _value("turnfold_quarantined_entries", "Entries in the quarantine, of every session.", entries)

    def _of_live(self) -> Iterator[Metric]:
        live = self._live
        yield _value("turnfold_sockets", "Open sockets of this process.", live.sockets)
        yield _value("turnfold_subscriptions", "Subscriptions on these sockets.", live.subscriptions)
        yield _value("turnfold_held_sessions", "Folds in the memory of the live side.", live.sessions)


def _value(name: str, meaning: str, value: float | None) -> GaugeMetricFamily:
    """A gauge of one value; without any where that is not known now."""
    return GaugeMetricFamily(name, meaning, value=None if value is None else float(value))


def _gauge(registry: CollectorRegistry, name: str, meaning: str, *labels: str) -> Gauge:
    return Gauge(name, meaning, labels, registry=registry)


def _counter(registry: CollectorRegistry, name: str, meaning: str, *labels: str) -> Counter:
    return Counter(name, meaning, labels, registry=registry)


def _histogram(
    registry: CollectorRegistry, name: str, meaning: str, buckets: tuple[float, ...], *labels: str
) -> Histogram:
    return Histogram(name, meaning, labels, buckets=buckets, registry=registry)
