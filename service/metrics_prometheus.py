"""`metrics.ProjectorMetrics` on a Prometheus registry that the composition root made (R-15).

Every number of a batch is derived from its commit, so that the loop itself counts nothing twice.
"""

from typing import Final, Literal, get_args

import msgspec
from prometheus_client import CollectorRegistry, Counter, Histogram

from service.errors import StoreUnavailable
from service.stored import Commit, CommitStatus, Quarantined

QuarantineReason = Literal["unaddressed", "not_utf8", "not_json", "not_an_event"]

#: One round trip to an engine in memory, up to a disk that stalls (the answer's own bound is 10 s).
_COMMIT_BUCKETS_S: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
#: From one event to a backlog's 8,000 great ones with cold starts.
_FOLD_BUCKETS_S: Final = (
    0.0001,
    0.00025,
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1,
    5,
)
#: 500 is the first read's bound, 8,000 the greatest's (R-2).
_BATCH_BUCKETS: Final = (1, 5, 10, 50, 100, 500, 1_000, 2_000, 4_000, 8_000)


class PrometheusProjectorMetrics:
    """Counts from the start of the process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register every metric of a projector, once a registry."""
        self._committed = Counter(
            "turnfold_committed_events_total", "Events that reached a session's log.", registry=registry
        )
        self._duplicates = Counter(
            "turnfold_duplicate_events_total", "Events dropped: their event id was known.", registry=registry
        )
        self._dropped = Counter(
            "turnfold_dropped_events_total", "Events dropped: their session was deleted.", registry=registry
        )
        self._quarantined = Counter(
            "turnfold_quarantined_events_total",
            "Entries that could not be decoded.",
            ["reason"],
            registry=registry,
        )
        self._parked = Counter(
            "turnfold_parked_sessions_total", "Sessions whose fold raised: a bug.", registry=registry
        )
        self._stale = Counter(
            "turnfold_stale_turns_ended_total", "Open turns ended after their silence.", registry=registry
        )
        self._commits = Counter(
            "turnfold_commits_total", "Commits by the store's answer.", ["outcome"], registry=registry
        )
        self._failures = Counter(
            "turnfold_store_failures_total",
            "Steps of a partition that the store did not answer or refused.",
            ["kind"],
            registry=registry,
        )
        self._commit_s = Histogram(
            "turnfold_commit_seconds",
            "From sending a commit to its answer.",
            buckets=_COMMIT_BUCKETS_S,
            registry=registry,
        )
        self._fold_s = Histogram(
            "turnfold_fold_seconds",
            "From a batch's entries to its commit: cold starts, decoding, folding.",
            buckets=_FOLD_BUCKETS_S,
            registry=registry,
        )
        self._batch = Histogram(
            "turnfold_batch_events", "Entries of a batch.", buckets=_BATCH_BUCKETS, registry=registry
        )
        self._begin_at_zero()

    def _begin_at_zero(self) -> None:
        """A rate needs a zero to grow from: the first quarantined entry must be seen as one more."""
        for reason in get_args(QuarantineReason):
            self._quarantined.labels(reason)
        for outcome in get_args(CommitStatus):
            self._commits.labels(outcome)
        for kind in ("unavailable", "refused"):
            self._failures.labels(kind)

    def folded(self, entry_count: int, took_s: float) -> None:
        self._batch.observe(entry_count)
        self._fold_s.observe(took_s)

    def answered(self, status: CommitStatus, took_s: float) -> None:
        self._commits.labels(status).inc()
        self._commit_s.observe(took_s)

    def advanced(self, commit: Commit, entry_count: int) -> None:
        logged = sum(len(part.events) for part in commit.sessions)
        unaddressed = sum(1 for one in commit.quarantined if one.seq < 0)
        self._committed.inc(logged)
        self._dropped.inc(commit.dropped_count)
        self._duplicates.inc(entry_count - logged - unaddressed - commit.dropped_count)
        self._parked.inc(
            sum(
                1
                for part in commit.sessions
                if part.summary.parked is not None and part.summary.parked.seq >= part.expected_next_seq
            )
        )
        for entry in commit.quarantined:
            self._quarantined.labels(reason_of(entry)).inc()

    def failed(self, error: Exception) -> None:
        self._failures.labels("unavailable" if isinstance(error, StoreUnavailable) else "refused").inc()

    def ended_stale_turn(self) -> None:
        self._stale.inc()


def reason_of(entry: Quarantined) -> QuarantineReason:
    """The kind of a quarantined entry, from its bytes: the reason itself is prose, with names and places in it."""
    if entry.seq < 0:
        return "unaddressed"
    try:
        entry.raw.decode()
        msgspec.json.decode(entry.raw)
    except UnicodeDecodeError:
        return "not_utf8"
    except (msgspec.DecodeError, RecursionError):
        return "not_json"
    return "not_an_event"
