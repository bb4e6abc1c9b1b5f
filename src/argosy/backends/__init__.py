"""The ports: one folder each, holding the protocol, its adapters and what a conformance suite needs to try them."""
