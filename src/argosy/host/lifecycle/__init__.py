"""The verbs that make, watch and end an installation: one module each, called by `argosy.host.__main__`.

`up` is the longest story; it ends in `host.supervisor`. `down` and `status` ask that supervisor through its socket.
"""
