"""From files to Kubernetes objects: plain folders, Kustomize, Helm and jsonnet, each rendered from a read-only `tree`."""
