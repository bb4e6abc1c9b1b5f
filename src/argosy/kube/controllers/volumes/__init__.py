"""Persistent volumes: claims get one (`binding`), what is in use stays (`protection`), pods' own claims are made (`ephemeral`).

The class `standard` of an embedded cluster has the provisioner `argosy.io/embedded`, which is `binding` itself: a volume is made for each
claim. Other provisioners are somebody else's.
"""
