"""The embedded clusters of an installation: the process `cluster` runs all of them, `argosy kube …` asks it.

`home` is where one lies, `running` one that runs, `fleet` all of them, `control` the socket that the verbs of `asking` speak to,
`passage` the one by which the gateway reaches what their Ingresses name.
"""
