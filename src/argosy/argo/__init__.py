"""The Argo engines as controllers that speak only the Kubernetes API: for the embedded clusters, and for small real ones."""
