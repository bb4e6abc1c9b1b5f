"""What becomes of a template: its tags, its patch, and what an application gets besides."""

from __future__ import annotations

import pytest

from argosy.kube.objects import Object
from tests.unit.argo.cd.application_sets.worlds import application_set, generated, names

ONE = "[{list: {elements: [{name: web, port: '80', tags: {a: b}}]}}]"
FULL = """
metadata:
  name: '{{ .name }}'
  namespace: elsewhere
  labels: {'{{ .name }}-label': '{{ .port }}', gone: null}
  annotations: {plain: text}
  generateName: x-
spec:
  project: default
  sources:
  - repoURL: https://git.example.com/x.git
    path: 'apps/{{ .name }}'
    targetRevision: main
    helm:
      parameters: [{name: port, value: '{{ .port }}'}]
      valuesObject: {deep: [{'{{ .name }}': ['{{ .port }}', 5, true, null]}], none: null}
  destination: {server: https://kubernetes.default.svc, namespace: '{{ .name }}'}
  revisionHistoryLimit: 3
  syncPolicy: {automated: {}}
"""


def one(generators: str = ONE, **said: object) -> Object:
    found = generated(application_set(generators, **said))  # type: ignore[arg-type]
    assert found.failure is None, found.failure
    (app,) = found.applications
    return app


def wrong(template: str, generators: str = ONE, **said: object) -> str:
    found = generated(application_set(generators, template=template, **said))  # type: ignore[arg-type]
    assert found.failure is not None
    assert found.failure.reason == "RenderTemplateParamsError"
    return found.failure.message


def test_tags_are_filled_everywhere_in_names_of_maps_too() -> None:
    assert one(template=FULL) == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": "web",
            "namespace": "argocd",
            "labels": {"web-label": "80"},
            "annotations": {"plain": "text"},
            "finalizers": ["resources-finalizer.argocd.argoproj.io"],
        },
        "spec": {
            "project": "default",
            "sources": [
                {
                    "repoURL": "https://git.example.com/x.git",
                    "path": "apps/web",
                    "targetRevision": "main",
                    "helm": {
                        "parameters": [{"name": "port", "value": "80"}],
                        "valuesObject": {"deep": [{"web": ["80", 5, True, None]}]},
                    },
                }
            ],
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "web"},
            "revisionHistoryLimit": 3,
            "syncPolicy": {"automated": {}},
        },
    }


def test_flat_templates_leave_what_is_not_known() -> None:
    flat = "[{list: {elements: [{name: web}]}}]"
    app = one(flat, template="{{name}}-{{ name }}-{{other}}", go=False)
    assert app["metadata"]["name"] == "web-web-{{other}}"


@pytest.mark.parametrize(
    ("said", "finalizers"),
    [
        ({}, ["resources-finalizer.argocd.argoproj.io"]),
        ({"syncPolicy": {}}, ["resources-finalizer.argocd.argoproj.io"]),
        ({"syncPolicy": {"preserveResourcesOnDeletion": True}}, None),
    ],
)
def test_resources_go_with_their_application_unless_they_are_preserved(
    said: dict, finalizers: list | None
) -> None:
    assert one(**said)["metadata"].get("finalizers") == finalizers


def test_finalizers_of_the_template_stay_as_they_are() -> None:
    own = "metadata: {name: a, finalizers: [x.example.com/y]}\nspec: {project: p, destination: {}}\n"
    assert one(template=own)["metadata"]["finalizers"] == ["x.example.com/y"]


@pytest.mark.parametrize(
    ("options", "name"),
    [([], "<no value>"), (["missingkey=default"], "<no value>"), (["missingkey=zero"], "<no value>")],
)
def test_a_missing_key_is_as_the_options_say(options: list[str], name: str) -> None:
    assert one(template="x{{ .nope }}", goTemplateOptions=options)["metadata"]["name"] == f"x{name}"


def test_a_missing_key_may_be_an_error() -> None:
    message = wrong("x{{ .nope }}", goTemplateOptions=["missingkey=error"])
    assert message.startswith(
        'failed to execute go template x{{ .nope }}: template: base:1:4: executing "base" at <.nope>: '
        'map has no entry for key "nope"'
    )


def test_a_template_that_cannot_be_read_says_so() -> None:
    assert wrong("{{ .name").startswith(
        "failed to parse template {{ .name: template: base:1: unclosed action"
    )
    assert "unrecognized option: missingkey=maybe" in wrong("x", goTemplateOptions=["missingkey=maybe"])
    assert "invalid template: Cannot find end tag" in wrong(
        "{{name}} {{name", generators="[{list: {elements: [{name: a}]}}]", go=False
    )


def test_an_application_without_parameters_is_taken_as_it_is_written() -> None:
    app = one("[{list: {elements: [{}]}}]", template="web-{{ .name }}")
    assert app["metadata"] == {"name": "web-{{ .name }}", "namespace": "argocd"}


# Templates of generators


def test_a_generator_may_bring_a_template_of_its_own() -> None:
    generators = """
    - list:
        elements: [{name: web}]
        template:
          metadata: {name: 'own-{{ .name }}', labels: {own: x}}
          spec: {source: {path: other}, destination: {}, project: ''}
    - list: {elements: [{name: api}]}
    """
    template = """
metadata: {name: '{{ .name }}', labels: {all: y, own: z}}
spec:
  project: default
  source: {repoURL: r, path: web}
  destination: {server: s}
"""
    first, second = generated(application_set(generators, template=template)).applications
    assert first["metadata"]["name"] == "own-web"
    assert first["metadata"]["labels"] == {"own": "x", "all": "y"}
    assert first["spec"] == {
        "project": "default",
        "source": {"repoURL": "r", "path": "other"},
        "destination": {"server": "s"},
    }
    assert second["metadata"]["labels"] == {"all": "y", "own": "z"}
    assert second["spec"]["source"]["path"] == "web"


# Patches


def test_a_patch_changes_what_its_parameters_say() -> None:
    patch = """
    metadata:
      annotations: {port: '{{ .port }}'}
      labels: {gone: null}
    spec:
      {{- if eq .port "80" }}
      syncPolicy: {automated: {prune: true}, retry: {limit: 3}}
      {{- end }}
      source:
        helm:
          valueFiles: [{{ range $k, $v := .tags }}{{ $k }}{{ $v }}.yaml{{ end }}]
    """
    template = """
metadata: {name: '{{ .name }}', labels: {gone: x, stays: y}}
spec:
  project: default
  source: {repoURL: r, helm: {valueFiles: [a, b]}}
  destination: {server: s}
"""
    app = one(template=template, templatePatch=patch)
    assert app["metadata"]["annotations"] == {"port": "80"}
    assert app["metadata"]["labels"] == {"stays": "y"}
    assert app["spec"]["syncPolicy"] == {"automated": {"prune": True}, "retry": {"limit": 3}}
    assert isinstance(app["spec"]["syncPolicy"]["retry"]["limit"], int)
    assert app["spec"]["source"]["helm"] == {"valueFiles": ["ab.yaml"]}


def test_a_patch_may_be_json_and_may_name_the_application() -> None:
    app = one(
        templatePatch='{"metadata": {"name": "other", "finalizers": ["x/y"]}, "spec": {"info": [{"name": "a", "value": "b"}]}}'
    )
    assert app["metadata"]["name"] == "other"
    assert app["metadata"]["finalizers"] == ["x/y", "resources-finalizer.argocd.argoproj.io"]
    assert app["spec"]["info"] == [{"name": "a", "value": "b"}]


def test_a_patch_may_not_lead_into_another_project_or_namespace() -> None:
    app = one(templatePatch="metadata: {namespace: kube-system}\nspec: {project: admin}")
    assert app["spec"]["project"] == "default"
    assert app["metadata"]["namespace"] == "argocd"


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ("spec: {source: {$patch: replace, path: x}}", {"path": "x"}),
        (
            "spec: {source: {path: null}}",
            {"repoURL": "https://git.example.com/team/apps.git", "targetRevision": "main"},
        ),
    ],
)
def test_a_patch_may_replace_and_remove(patch: str, expected: Object) -> None:
    assert one(templatePatch=patch)["spec"]["source"] == expected


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("a: [", "invalid templatePatch"),
        ("[1]", "it must be a map"),
        ("{{ .name", "error replacing values in templatePatch: failed to parse template"),
        ("spec: null", "it leaves no spec"),
        ("spec: {$patch: odd}", "unknown $patch: odd"),
    ],
)
def test_a_patch_that_makes_no_sense_is_said(patch: str, said: str) -> None:
    assert said in wrong("x", templatePatch=patch)


def test_an_empty_patch_changes_nothing() -> None:
    assert one(templatePatch="{{ if false }}x{{ end }}") == one()


# Keeping apart


def test_what_a_template_sets_is_seen_by_its_application_only() -> None:
    generators = "[{matrix: {generators: [{list: {elements: [{m: {x: a}}]}}, {list: {elements: [{n: '1'}, {n: '2'}]}}]}}]"
    template = '{{ $_ := set .m (print "k" .n) "v" }}{{ .n }}{{ len .m }}'
    assert names(generated(application_set(generators, template=template))) == ["12", "22"]


def test_all_templates_of_a_set_share_one_budget() -> None:
    elements = ", ".join("{}".replace("{}", f"{{n: '{at}'}}") for at in range(60))
    template = "{{ range until 100 }}{{ range until 400 }}{{ end }}{{ end }}"
    message = wrong(template, generators=f"[{{list: {{elements: [{elements}]}}}}]")
    assert "it takes too many steps" in message
