"""AppProjects: what applications may take, where they may go, which kinds they may make, and when. Pure.

`project.py` is what the engine asks; `rules.py`, `windows.py`, `orphans.py` and `roles.py` decide; `validating.py` says what is wrong with a project.
"""

from argosy.argo.cd.projects.project import DEFAULT, BadProject, Project, default_project

__all__ = ["DEFAULT", "BadProject", "Project", "default_project"]
