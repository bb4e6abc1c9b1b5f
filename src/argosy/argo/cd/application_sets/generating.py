"""From an ApplicationSet and what is known of the world to the applications that it wants. Pure: the controller does the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from argosy.argo.cd.application_sets.facts import Facts, Wanted
from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.generators.combining import MOST
from argosy.argo.cd.application_sets.generators.dispatch import Generators
from argosy.argo.cd.application_sets.patching import patched
from argosy.argo.cd.application_sets.tags import Params, Tags
from argosy.contracts.argo.application import GROUP, VERSION
from argosy.contracts.argo.application_set import SetSpec, Template
from argosy.domain.templates.values import copied
from argosy.kube.objects import Object, namespace_of

RESOURCES_FINALIZER = "resources-finalizer.argocd.argoproj.io"


@dataclass(frozen=True, slots=True)
class Generated:
    """`wanted`: repositories that have to be fetched first; then nothing else counts. `used`: those that were read."""

    applications: list[Object] = field(default_factory=list)
    failure: GenerationFailed | None = None
    wanted: frozenset[Wanted] = frozenset()
    used: frozenset[Wanted] = frozenset()


def generate(
    application_set: Object, spec: SetSpec, facts: Facts, *, strict_globs: bool = False
) -> Generated:
    """Goes on behind an entry that fails, and tells the first failure: no application may be missing because another one is wrong."""
    applications: list[Object] = []
    failure: GenerationFailed | None = None
    try:
        tags = Tags(go=spec.go_template, options=spec.go_template_options)
    except GenerationFailed as error:
        return Generated(failure=error)
    generators = Generators(facts, tags, strict_globs)
    for raw in application_set["spec"]["generators"]:
        try:
            for made in generators.made(raw):
                template = _over(spec.template, made.template)
                found, failed = _rendered(made.params, template, spec, tags, namespace_of(application_set))
                applications += found
                failure = failure or failed
                if len(applications) > MOST:
                    return Generated(failure=GenerationFailed(f"more than {MOST} applications"))
        except GenerationFailed as error:
            failure = failure or GenerationFailed(error.message)
    return Generated(applications, failure, frozenset(facts.wanted), frozenset(facts.used))


def _rendered(
    params: Sequence[Params], template: Object, spec: SetSpec, tags: Tags, namespace: str
) -> tuple[list[Object], GenerationFailed | None]:
    found: list[Object] = []
    failure: GenerationFailed | None = None
    for one in params:
        try:
            found.append(_application(one, template, spec, tags, namespace))
        except GenerationFailed as error:
            failure = failure or error
    return found, failure


def _application(params: Params, template: Object, spec: SetSpec, tags: Tags, namespace: str) -> Object:
    app = template
    if params:
        mine = copied(params)  # a template may set something in its parameters
        assert isinstance(mine, dict)
        filled = tags.filled_all(template, mine)
        assert isinstance(filled, dict)
        app = filled
        metadata = app["metadata"]
        preserves = spec.sync_policy is not None and spec.sync_policy.preserve_resources_on_deletion
        if not preserves and not metadata.get("finalizers"):
            metadata["finalizers"] = [RESOURCES_FINALIZER]
        if spec.template_patch is not None:
            app = patched(app, _patch(spec.template_patch, mine, tags))
    elif spec.template_patch is not None:
        app = patched(app, _patch(spec.template_patch, {}, tags))
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "Application",
        "metadata": {**_significant(app["metadata"]), "namespace": namespace},
        "spec": app["spec"],
    }


def _patch(text: str, params: Params, tags: Tags) -> str:
    try:
        return tags.filled(text, params)
    except GenerationFailed as error:
        raise error.within("error replacing values in templatePatch") from error


def _significant(metadata: Object) -> Object:
    """What a template may say of an application."""
    known = ("name", "labels", "annotations", "finalizers")
    return {key: metadata[key] for key in known if metadata.get(key)}


def _over(base: Template, brought: Template | None) -> Object:
    """The generator's own template, with what it does not say out of the set's."""
    lower: Object = {"metadata": base.metadata, "spec": base.spec}
    if brought is None:
        return lower
    return _completed({"metadata": brought.metadata, "spec": brought.spec}, lower)


def _completed(upper: Object, lower: Object) -> Object:
    found = dict(upper)
    for key, value in lower.items():
        there = found.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            found[key] = _completed(there, value)
        elif there in (None, "", False, 0, [], {}):
            found[key] = value
    return found
