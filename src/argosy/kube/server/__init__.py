"""A Kubernetes API server. `cluster` puts one together; `api` answers requests over `store`, with `rules` for each kind."""
