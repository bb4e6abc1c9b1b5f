"""Resource actions, as Argo CD has them: restart, scale, pause, promote, create a job from its schedule. Pure: what they answer is applied elsewhere.

`offer.py` chooses between the actions of argocd-cm (`scripted.py`) and the built-in ones (`kubernetes.py`, `argo.py`, `operators.py`).
"""

from argosy.argo.cd.actions.model import Action, ActionError, Change
from argosy.argo.cd.actions.offer import actions_of, perform

__all__ = ["Action", "ActionError", "Change", "actions_of", "perform"]
