"""What is particular about each kind; see `rules`, and `builtin` for the built-in ones.

`rules_for` finds the rules of a built-in resource; custom resources bring theirs along. Beside the kinds there are their parts (`pods`,
`workloads`, `resources`, `claims`) and the vocabulary they share: `wording`, `formats`, `quantities`, `metadata`,
`label_selectors`, `addresses`. `selectors` reads what a request's query selects.
"""

from argosy.kube.server.rules.kinds import rules_for
from argosy.kube.server.rules.rules import Rules

__all__ = ["Rules", "rules_for"]
