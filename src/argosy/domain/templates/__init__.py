"""Go's text/template with Sprig's functions, as Argo CD's ApplicationSets use it, and the older `{{name}}` templates.

`render` reads (`tokens`, `parser`), walks (`evaluator`) and formats (`formatting`) within a `budget`; `values` says how Go's types look here.
"""

from argosy.domain.templates.budget import Budget
from argosy.domain.templates.errors import TemplateError
from argosy.domain.templates.pipelines import Missing
from argosy.domain.templates.rendering import render
from argosy.domain.templates.substitution import substitute

__all__ = ["Budget", "Missing", "TemplateError", "render", "substitute"]
