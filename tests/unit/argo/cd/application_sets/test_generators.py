"""What each generator finds. The name of each application shows its parameters."""

from __future__ import annotations

import pytest

from argosy.argo.cd.application_sets.facts import Wanted
from argosy.manifests.tree import SourceError
from tests.unit.argo.cd.application_sets.worlds import (
    URL,
    Files,
    application_set,
    cluster,
    failure,
    generated,
    named,
    names,
)

TWO = "[{list: {elements: [{name: a}, {name: b}]}}]"
CLUSTERS = (
    cluster("prod-eu", labels={"env": "prod", "region": "eu"}, annotations={"owner": "x"}),
    cluster("Dev_1", labels={"env": "dev"}),
)
FILES: dict[str, str | None] = {
    "README.md": "",
    "apps/web/app.yaml": "name: web\nport: 80\ntags: [x, z]\n",
    "apps/api/app.yaml": "name: api\nport: 8080\n",
    "apps/api/deep/er/app.yaml": "name: deep\n",
    "apps/old/app.yaml": "name: old\n",
    "infra/db/app.json": '[{"name": "db", "size": 1.5}, {"name": "cache"}]',
    ".hidden/x/app.yaml": "name: hidden\n",
    "empty.yaml": "",
    "out": None,
}


def git(**said: object) -> str:
    return str([{"git": {"repoURL": URL, "revision": "HEAD", **said}}])


# Lists


@pytest.mark.parametrize("go", [True, False])
def test_each_element_makes_an_application(go: bool) -> None:
    assert named(TWO, "app-{{ .name }}" if go else "app-{{name}}", go=go) == ["app-a", "app-b"]


def test_elements_may_be_nested_with_go_templates() -> None:
    generators = "[{list: {elements: [{name: a, net: {ports: [80, 443]}, up: true}]}}]"
    name = "{{ .name }}-{{ index .net.ports 1 }}-{{ .up }}"
    assert named(generators, name) == ["a-443-true"]


def test_large_numbers_of_elements_are_floats_as_upstream() -> None:
    generators = "[{list: {elements: [{n: 1234567}]}}]"
    assert named(generators, "{{ .n }}-{{ int .n }}") == ["1.234567e+06-1234567"]


def test_flat_elements_have_values_by_path() -> None:
    generators = "[{list: {elements: [{name: a, values: {port: '80'}}]}}]"
    assert named(generators, "{{name}}-{{values.port}}", go=False) == ["a-80"]


@pytest.mark.parametrize(
    ("element", "said"),
    [
        ("{name: a, port: 80}", "elements[0].port is float64; write it in quotes, or set goTemplate: true"),
        ("{name: null}", "elements[0].name is null"),
        ("{values: [x]}", "error parsing values map"),
        ("{values: {a: 1}}", "elements[0].values.a is float64"),
    ],
)
def test_flat_elements_must_be_texts(element: str, said: str) -> None:
    assert said in failure(f"[{{list: {{elements: [{element}]}}}}]", "{{name}}", go=False)


def test_elements_may_come_as_yaml() -> None:
    generators = '[{list: {elements: [{name: a}], elementsYaml: "[{name: b}, {name: c}]"}}]'
    assert named(generators) == ["a", "b", "c"]
    assert "it must be a list of maps" in failure('[{list: {elements: [], elementsYaml: "a: 1"}}]')
    assert "ElementsYaml" in failure('[{list: {elements: [], elementsYaml: "{"}}]')


def test_an_empty_list_makes_nothing() -> None:
    assert named("[{list: {elements: []}}]") == []


# Clusters


def test_each_cluster_and_the_one_of_the_engine_make_an_application() -> None:
    name = "{{ .name }}|{{ .nameNormalized }}|{{ .server }}|{{ .project }}"
    assert named("[{clusters: {}}]", name, clusters=CLUSTERS) == [
        "Dev_1|dev-1|https://Dev_1.example.com|",
        "prod-eu|prod-eu|https://prod-eu.example.com|",
        "in-cluster|in-cluster|https://kubernetes.default.svc|",
    ]


def test_a_secret_for_the_engines_own_cluster_takes_its_place() -> None:
    own = (cluster("home", "https://kubernetes.default.svc"),)
    assert named("[{clusters: {}}]", clusters=own) == ["home"]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("{matchLabels: {env: prod}}", ["prod-eu"]),
        ("{matchExpressions: [{key: env, operator: In, values: [dev, prod]}]}", ["Dev_1", "prod-eu"]),
        ("{matchExpressions: [{key: region, operator: DoesNotExist}]}", ["Dev_1"]),
        ("{matchExpressions: [{key: region, operator: Exists}]}", ["prod-eu"]),
        ("{matchExpressions: [{key: env, operator: NotIn, values: [dev]}]}", ["prod-eu"]),
        ("{}", ["Dev_1", "prod-eu", "in-cluster"]),
    ],
)
def test_a_selector_chooses_among_clusters_and_leaves_the_unlabelled_one_out(
    selector: str, expected: list[str]
) -> None:
    assert named(f"[{{clusters: {{selector: {selector}}}}}]", clusters=CLUSTERS) == expected


def test_labels_and_annotations_are_parameters() -> None:
    prod = CLUSTERS[:1]
    generators = "[{clusters: {selector: {matchLabels: {env: prod}}}}]"
    name = "{{ .metadata.labels.region }}-{{ .metadata.annotations.owner }}"
    assert named(generators, name, clusters=prod) == ["eu-x"]
    name = "{{metadata.labels.region}}-{{metadata.annotations.owner}}-{{metadata.labels.no}}"
    assert named(generators, name, go=False, clusters=prod) == ["eu-x-{{metadata.labels.no}}"]


def test_what_kubectl_keeps_in_a_secret_is_no_parameter() -> None:
    told = {
        "kubectl.kubernetes.io/last-applied-configuration": "password",
        "argocd.argoproj.io/refresh": "x",
        "a": "b",
    }
    one = (cluster("c", labels={"x": "y"}, annotations=told),)
    generators = "[{clusters: {selector: {matchLabels: {x: y}}}}]"
    assert named(generators, "{{ .metadata.annotations }}", clusters=one) == ["map[a:b]"]


def test_values_are_filled_with_what_was_found() -> None:
    generators = "[{clusters: {values: {who: '{{ .name }}-x', plain: y, other: '{{ .values.plain }}'}}}]"
    name = "{{ .values.who }}-{{ .values.plain }}-{{ .values.other }}"
    assert named(generators, name) == ["in-cluster-x-y-<no value>"]
    generators = "[{clusters: {values: {who: '{{name}}-x', other: '{{values.who}}'}}}]"
    assert named(generators, "{{values.who}}-{{values.other}}", go=False) == ["in-cluster-x-{{values.who}}"]


def test_a_flat_list_is_one_parameter_set() -> None:
    name = "{{ range $i, $c := .clusters }}{{ if $i }}+{{ end }}{{ $c.name }}{{ end }}"
    assert named("[{clusters: {flatList: true}}]", name, clusters=CLUSTERS) == ["Dev_1+prod-eu+in-cluster"]


# Git


@pytest.mark.parametrize(
    ("directories", "expected"),
    [
        ([{"path": "apps/*"}], ["apps/api", "apps/old", "apps/web"]),
        ([{"path": "apps/*"}, {"path": "apps/old", "exclude": True}], ["apps/api", "apps/web"]),
        ([{"path": "apps/old", "exclude": True}, {"path": "apps/*"}], ["apps/api", "apps/web"]),
        ([{"path": "*"}], ["apps", "infra"]),
        ([{"path": "*/*"}], ["apps/api", "apps/old", "apps/web", "infra/db"]),
        ([{"path": "apps/*/*/*"}], ["apps/api/deep/er"]),
        ([{"path": "apps/[aw]*"}], ["apps/api", "apps/web"]),
        ([{"path": "apps/?pi"}], ["apps/api"]),
        ([{"path": "apps/[^a]*"}], ["apps/old", "apps/web"]),
        ([{"path": "apps/[a"}], []),
        ([{"path": ".hidden/*"}], []),
        ([{"path": "apps", "exclude": True}], []),
        ([{"path": "infra/db"}], ["infra/db"]),
    ],
)
def test_folders_are_found_by_patterns(directories: list[dict], expected: list[str]) -> None:
    assert named(git(directories=directories), "{{ .path.path }}", files=FILES) == expected


def test_the_path_comes_in_parts() -> None:
    name = "{{ .path.path }}|{{ .path.basename }}|{{ .path.basenameNormalized }}|{{ index .path.segments 1 }}|{{ len .path.segments }}"
    files: dict[str, str | None] = {"apps/My_App/x": ""}
    directories = [{"path": "apps/*"}]
    assert named(git(directories=directories), name, files=files) == ["apps/My_App|My_App|my-app|My_App|2"]
    name = "{{path}}|{{path.basename}}|{{path.basenameNormalized}}|{{path[0]}}|{{path[1]}}|{{path[2]}}"
    found = named(git(directories=directories), name, go=False, files=files)
    assert found == ["apps/My_App|My_App|my-app|apps|My_App|{{path[2]}}"]


def test_a_prefix_sets_paths_apart() -> None:
    said = {"directories": [{"path": "infra/*"}], "pathParamPrefix": "my"}
    assert named(git(**said), "{{ .my.path.path }}-{{ .path }}", files=FILES) == ["infra/db-<no value>"]
    assert named(git(**said), "{{my.path}}-{{my.path[1]}}", go=False, files=FILES) == ["infra/db-db"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([{"path": "apps/web/app.yaml"}], ["web"]),
        ([{"path": "apps/**/app.yaml"}], ["api", "deep", "old", "web"]),
        ([{"path": "apps/*/app.yaml"}], ["api", "deep", "old", "web"]),  # Git's star goes through folders
        ([{"path": "**/app.json"}], ["db", "cache"]),
        ([{"path": "apps/*/app.yaml"}, {"path": "apps/o*", "exclude": True}], ["api", "deep", "web"]),
        ([{"path": "apps/api"}], ["api", "deep"]),
        ([{"path": "apps/w?b/app.yaml"}], ["web"]),
        ([{"path": ".hidden/*"}], ["hidden"]),
        ([{"path": "nothing/*"}], []),
        ([{"path": "out"}], []),
        ([{"path": "empty.yaml"}], ["<no value>"]),
    ],
)
def test_files_are_found_as_git_finds_them(files: list[dict], expected: list[str]) -> None:
    assert named(git(files=files), files=FILES) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("apps/*/app.yaml", ["api", "old", "web"]),
        ("apps/**/app.yaml", ["api", "deep", "old", "web"]),
        ("**/app.yaml", ["hidden", "api", "deep", "old", "web"]),
        ("apps/{web,api}/app.yaml", ["api", "web"]),
        ("apps/api/**", ["api", "deep"]),
        ("apps/api", []),
    ],
)
def test_strict_patterns_stay_in_their_folder(path: str, expected: list[str]) -> None:
    assert named(git(files=[{"path": path}]), files=FILES, strict_globs=True) == expected


def test_what_a_file_says_is_a_parameter_beside_its_path() -> None:
    said = {"files": [{"path": "apps/web/app.yaml"}], "values": {"full": "{{ .name }}.{{ .path.basename }}"}}
    name = "{{ .port }}-{{ index .tags 1 }}-{{ .path.path }}-{{ .path.filename }}-{{ .path.filenameNormalized }}-{{ .values.full }}"
    assert named(git(**said), name, files=FILES) == ["80-z-apps/web-app.yaml-app.yaml-web.web"]
    name = "{{port}}-{{tags.1}}-{{path}}-{{path.filename}}-{{path[1]}}-{{path.basename}}"
    found = named(git(files=[{"path": "apps/web/app.yaml"}]), name, go=False, files=FILES)
    assert found == ["80-z-apps/web-app.yaml-web-web"]


def test_a_file_at_the_root_has_a_dot_for_its_folder() -> None:
    found = named(git(files=[{"path": "empty.yaml"}]), "{{ .path.path }}{{ .path.segments }}", files=FILES)
    assert found == [".[.]"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("- 1\n", "it must be a map, or a list of maps"),
        ("a: [", "unable to parse file"),
        ("text", "it must be a map"),
    ],
)
def test_a_file_that_is_no_map_is_named(content: str, said: str) -> None:
    message = failure(git(files=[{"path": "x.yaml"}]), files={"x.yaml": content})
    assert f"unable to process file 'x.yaml' from repository '{URL}'" in message
    assert said in message


def test_a_repository_that_is_not_there_yet_is_asked_for() -> None:
    found = generated(application_set(git(directories=[{"path": "*"}])))
    assert found.wanted == {Wanted(URL, "HEAD")}
    assert found.applications == []


def test_a_repository_that_cannot_be_had_fails_the_set() -> None:
    trees = {Wanted(URL, "HEAD"): SourceError("the repository asks for a password")}
    message = failure(git(directories=[{"path": "*"}]), trees=trees)
    assert message == (
        "error generating params from git: error getting directories from git: the repository asks for a password"
    )


def test_a_git_generator_wants_folders_or_files() -> None:
    assert "a git generator wants directories or files" in failure(git(), files=FILES)


def test_an_order_to_git_is_no_pattern() -> None:
    assert "begins with a colon" in failure(git(files=[{"path": ":(exclude)apps"}]), files=FILES)


# Matrix


def matrix(first: str, second: str) -> str:
    return f"[{{matrix: {{generators: [{first}, {second}]}}}}]"


def test_a_matrix_takes_each_with_each() -> None:
    generators = matrix("{list: {elements: [{a: 1}, {a: 2}]}}", "{list: {elements: [{b: x}, {b: y}]}}")
    assert named(generators, "{{ .a }}{{ .b }}") == ["1x", "1y", "2x", "2y"]


def test_the_second_generator_may_use_what_the_first_found() -> None:
    first = "{git: {repoURL: 'HERE', revision: HEAD, files: [{path: 'infra/db/app.json'}]}}".replace(
        "HERE", URL
    )
    second = "{list: {elements: [{full: '{{ .name }}-{{ .path.basename }}'}]}}"
    assert named(matrix(first, second), "{{ .full }}", files=FILES) == ["db-db", "cache-db"]


def test_the_second_generator_may_read_a_folder_that_the_first_names() -> None:
    first = "{list: {elements: [{env: apps}, {env: infra}]}}"
    second = "{git: {repoURL: 'HERE', revision: HEAD, directories: [{path: '{{ .env }}/*'}]}}".replace(
        "HERE", URL
    )
    found = named(matrix(first, second), "{{ .env }}:{{ .path.basename }}", files=FILES)
    assert found == ["apps:api", "apps:old", "apps:web", "infra:db"]


def test_a_revision_may_come_from_the_first_generator() -> None:
    first = "{list: {elements: [{rev: v1}, {rev: v2}]}}"
    second = "{git: {repoURL: 'HERE', revision: '{{ .rev }}', directories: [{path: '*'}]}}".replace(
        "HERE", URL
    )
    wanted = application_set(matrix(first, second), template="{{ .rev }}-{{ .path.path }}")
    assert generated(wanted).wanted == {Wanted(URL, "v1"), Wanted(URL, "v2")}
    trees = {Wanted(URL, "v1"): Files({"a/x": ""}), Wanted(URL, "v2"): Files({"a/x": "", "b/x": ""})}
    assert names(generated(wanted, trees=trees)) == ["v1-a", "v2-a", "v2-b"]


def test_elements_in_yaml_may_be_a_list_of_the_first_generator() -> None:
    first = "{list: {elements: [{parts: [{name: a}, {name: b}]}]}}"
    second = "{list: {elements: [], elementsYaml: '{{ .parts | toJson }}'}}"
    assert named(matrix(first, second)) == ["a", "b"]


def test_values_of_the_second_may_use_both() -> None:
    first = "{list: {elements: [{env: dev}]}}"
    second = (
        "{git: {repoURL: 'HERE', revision: HEAD, directories: [{path: 'infra/*'}], "
        "values: {both: '{{ .env }}', own: '{{ .path.basename }}'}}}".replace("HERE", URL)
    )
    assert named(matrix(first, second), "{{ .values.both }}-{{ .values.own }}", files=FILES) == ["dev-db"]


def test_of_two_values_with_one_name_that_of_the_first_counts_with_go_templates() -> None:
    generators = matrix(
        "{list: {elements: [{name: a, m: {x: 1}}]}}", "{list: {elements: [{name: b, m: {y: 2}}]}}"
    )
    assert named(generators, "{{ .name }}{{ .m }}") == ["amap[x:1 y:2]"]


def test_flat_parameters_of_two_generators_must_agree() -> None:
    elements = "{list: {elements: [{name: a, x: '1'}]}}"
    assert named(
        matrix(elements, "{list: {elements: [{name: a, y: '2'}]}}"), "{{name}}{{x}}{{y}}", go=False
    ) == ["a12"]
    message = failure(matrix(elements, "{list: {elements: [{name: b}]}}"), "{{name}}", go=False)
    assert "found duplicate key name with different value, a: a ,b: b" in message


@pytest.mark.parametrize(
    ("generators", "said"),
    [
        (
            "[{matrix: {generators: [{list: {elements: []}}]}}]",
            "found less than two generators, Matrix support only two",
        ),
        ("[{matrix: {generators: [{list: {}}, {list: {}}, {list: {}}]}}]", "found more than two generators"),
        (
            "[{matrix: {generators: [{list: {}, clusters: {}}, {list: {}}]}}]",
            "found more than one generator in matrix",
        ),
        ("[{matrix: {generators: [{}, {list: {}}]}}]", "a generator of no kind that is known"),
    ],
)
def test_a_matrix_has_two_generators_of_one_kind_each(generators: str, said: str) -> None:
    assert said in failure(generators)


def test_a_matrix_may_stand_in_another_but_no_deeper() -> None:
    inner = "{matrix: {generators: [{list: {elements: [{a: 1}, {a: 2}]}}, {list: {elements: [{b: x}]}}]}}"
    outer = "{list: {elements: [{c: z}]}}"
    assert named(matrix(inner, outer), "{{ .a }}{{ .b }}{{ .c }}") == ["1xz", "2xz"]
    third = f"{{matrix: {{generators: [{inner}, {{list: {{elements: [{{d: q}}]}}}}]}}}}"
    assert "only one level of them may be nested" in failure(matrix(third, outer))


def test_a_selector_filters_inside_too() -> None:
    first = "{list: {elements: [{a: '1'}, {a: '2'}]}, selector: {matchLabels: {a: '2'}}}"
    generators = matrix(first, "{list: {elements: [{b: x}, {b: y}]}}")
    assert named(generators, "{{ .a }}{{ .b }}") == ["2x", "2y"]


# Merge


def merge(keys: str, *generators: str) -> str:
    return f"[{{merge: {{mergeKeys: {keys}, generators: [{', '.join(generators)}]}}}}]"


BASE = "{list: {elements: [{k: a, v: 1, m: {x: 1}}, {k: b, v: 2}]}}"


def test_later_generators_change_what_the_first_found() -> None:
    generators = merge("[k]", BASE, "{list: {elements: [{k: b, v: 9}, {k: c, v: 3}]}}")
    assert named(generators, "{{ .k }}{{ .v }}") == ["a1", "b9"]


def test_maps_are_merged_all_the_way_down() -> None:
    generators = merge("[k]", BASE, "{list: {elements: [{k: a, m: {y: 2}}]}}")
    assert named(generators, "{{ .k }}{{ .m }}") == ["amap[x:1 y:2]", "b<no value>"]


def test_several_keys_count_together() -> None:
    base = "{list: {elements: [{k: a, l: x, v: 1}, {k: a, l: y, v: 2}]}}"
    generators = merge("[k, l]", base, "{list: {elements: [{k: a, l: y, v: 9}]}}")
    assert named(generators, "{{ .k }}{{ .l }}{{ .v }}") == ["ax1", "ay9"]


def test_a_cluster_may_be_changed_by_its_name() -> None:
    generators = merge(
        "[name]", "{clusters: {values: {size: s}}}", "{list: {elements: [{name: Dev_1, values: {size: l}}]}}"
    )
    found = named(generators, "{{ .name }}-{{ .values.size }}", clusters=CLUSTERS)
    assert found == ["Dev_1-l", "prod-eu-s", "in-cluster-s"]


@pytest.mark.parametrize(
    ("generators", "said"),
    [
        (merge("[k]", BASE), "found less than two generators, Merge requires two or more"),
        (merge("[]", BASE, BASE), "no merge keys were specified, Merge requires at least one"),
        (
            merge("[k]", BASE, "{list: {elements: [{k: a}, {k: a}]}}"),
            'Merge requires all param sets to be unique. Duplicate key was {"k":"a"}',
        ),
        (
            merge("[k]", BASE, "{list: {elements: [], elementsYaml: '{'}}"),
            "error getting param sets from generators: error getting params from generator 2 of 2: child generator",
        ),
    ],
)
def test_what_cannot_be_merged_is_said(generators: str, said: str) -> None:
    assert said in failure(generators)


def test_what_no_set_has_is_one_key_too() -> None:
    generators = merge("[none]", "{list: {elements: [{a: 1}]}}", "{list: {elements: [{a: 2}]}}")
    assert named(generators, "{{ .a }}") == ["2"]


# All of them


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("{matchLabels: {name: a}}", ["a"]),
        ("{matchLabels: {m.env: prod}}", ["b"]),
        ("{matchLabels: {l.0: x}}", ["a"]),
        ("{matchExpressions: [{key: name, operator: NotIn, values: [a]}]}", ["b"]),
        ("{matchExpressions: [{key: m.env, operator: Exists}]}", ["b"]),
        ("{matchLabels: {n: '5'}}", ["a"]),
        ("{}", ["a", "b"]),
    ],
)
def test_a_selector_filters_by_any_parameter(selector: str, expected: list[str]) -> None:
    elements = "[{name: a, l: [x], n: 5}, {name: b, m: {env: prod}}]"
    assert named(f"[{{list: {{elements: {elements}}}, selector: {selector}}}]") == expected


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("{key: a, operator: Is}", '"Is" is not a valid pod selector operator'),
        ("{key: a, operator: In}", "values set can't be empty"),
        ("{key: a, operator: Exists, values: [x]}", "values set must be empty"),
    ],
)
def test_a_selector_that_makes_no_sense_is_said(expression: str, said: str) -> None:
    assert said in failure(
        f"[{{list: {{elements: [{{name: a}}]}}, selector: {{matchExpressions: [{expression}]}}}}]"
    )


@pytest.mark.parametrize("kind", ["scmProvider", "pullRequest", "plugin", "clusterDecisionResource", "oci"])
def test_generators_that_are_not_supported_are_named(kind: str) -> None:
    said = f"the generator {kind} is not supported here; list, clusters, git, matrix and merge are"
    assert said in failure(f"[{{{kind}: {{}}}}]")
    assert said in failure(matrix("{list: {elements: [{name: a}]}}", f"{{{kind}: {{}}}}"))


def test_a_generator_of_another_world_is_named() -> None:
    assert "a generator of no kind that is known: quantum" in failure("[{quantum: {}}]")


def test_one_broken_entry_fails_the_set_and_the_others_are_still_looked_at() -> None:
    found = generated(application_set("[{plugin: {}}, {list: {elements: [{name: a}]}}]"))
    assert found.failure is not None
    assert [one["metadata"]["name"] for one in found.applications] == ["a"]


def test_more_than_anybody_can_mean_is_refused() -> None:
    many = f"{{list: {{elements: [], elementsYaml: '[{', '.join(['{}'] * 300)}]'}}}}"
    assert "a matrix of more than 20000 parameter sets" in failure(matrix(many, many), "x")
