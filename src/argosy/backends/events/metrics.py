"""What the event machinery counts. Few labels: consumers and services are a fixed, small set."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

published = Counter("argosy_events_published", "Events committed to an outbox", ["service"])
consumed = Counter("argosy_events_consumed", "Events whose effect was committed", ["consumer"])
parked = Counter("argosy_events_parked", "Events put among the dead letters", ["consumer"])
lag = Gauge(
    "argosy_events_lag_seconds", "Age of the oldest event at hand; 0 when there are no more", ["consumer"]
)
delivery = Histogram(
    "argosy_events_delivery_seconds",
    "From the event's time to its committed effect",
    ["consumer"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 60.0),
)
oldest_transaction = Gauge(
    "argosy_events_oldest_transaction_seconds",
    "How long the oldest writing transaction of a server has held back the events after it",
    ["server"],
)
