"""Kubernetes: a client for any cluster, and a cluster of our own to use, test and teach with.

`types` knows the built-in kinds, `client` speaks to any cluster, `server` is one, `controllers` give it life and
`nodes` run its pods. `host` starts all of it as the process `cluster`.
"""
