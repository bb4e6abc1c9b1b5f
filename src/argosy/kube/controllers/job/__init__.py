"""Jobs: pods that have to end well so many times.

`planning` judges where a Job stands and what comes next, `failures` what a failed pod means for it, `indexes` writes sets of numbers,
`pods` makes one (all pure); `controller` does it and counts each ended pod exactly once.
"""

from argosy.kube.controllers.job.controller import make

__all__ = ["make"]
