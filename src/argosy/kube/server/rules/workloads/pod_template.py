"""PodTemplates: a template that stands alone."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules.builtin import same
from argosy.kube.server.rules.pods import options
from argosy.kube.server.rules.pods.defaults import default_template
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.template import check_template, spec_of
from argosy.kube.server.rules.workloads.replicated import Workload


class PodTemplateRules(Workload):
    warns_of_name = False

    def template(self, obj: Object) -> Object:
        return obj.get("template") or {}

    def template_path(self) -> str:
        return "template"

    def default(self, obj: Object) -> None:
        default_template(obj.setdefault("template", {}))

    def changed(self, new: Object, old: Object) -> bool:
        return not same(self.template(new), self.template(old))

    def check(self, obj: Object) -> list[Cause]:
        return self._check(obj, options.TEMPLATE)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        return self._check(new, options.after(spec_of(self.template(old))))

    def _check(self, obj: Object, how: Options) -> list[Cause]:
        return check_template(self.template(obj), "template", how)
