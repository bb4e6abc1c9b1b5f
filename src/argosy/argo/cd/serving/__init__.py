"""What the engine answers on demand over HTTP, as far as Argo CD's own API goes that agents need: what a cluster should have beside what it
has, syncs, rollbacks, actions, logs. `app` routes and authenticates, `publishing` makes it known in the cluster as Argo CD is known there.
"""
