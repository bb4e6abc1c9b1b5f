"""Answers requests: `pipeline` takes each from credentials to answer, the other modules are its stations.

`addresses` reads the path, `negotiation` what form is wanted, `options` the query; `reading`, `watching`, `writing`,
`patching`, `deleting` and `subresources` are the verbs; `cluster` is what they all work on.
"""
