"""The Argo custom resources as types: what people write (`source`, `application`), what engines answer (`operation`, `status`).

Engines decode objects into these; the documents of the definitions that a cluster is given are generated from them. Field names are
the wire's. No logic is here.
"""
