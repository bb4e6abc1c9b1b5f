"""The process `engine` of `argosy up`: the Argo engines of the embedded clusters. See `process`."""
