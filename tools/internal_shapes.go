// Internal_shapes writes `kube/server/rules/internal_shapes.jsonl`: the structs that an API server has inside, as far as its messages
// print them. A line for each: its members in order, each with the name that is printed, its name in JSON, its kind, and 1 when it is
// left out while empty; `rules/printing.py` tells what the kinds mean. `python -m tools.oracle tables` builds and runs it.
//
// Those structs carry no names for JSON. These come from the type of the published version, which is walked beside them.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// Everything that these contain is written too.
var printed = strings.Fields(`
	admissionregistration.WebhookClientConfig
	apps.DaemonSetUpdateStrategy apps.DeploymentStrategy apps.StatefulSetUpdateStrategy
	autoscaling.HorizontalPodAutoscalerBehavior autoscaling.MetricSpec
	batch.PodFailurePolicy batch.SuccessPolicy batch.UncountedTerminatedPods
	certificates.CertificateSigningRequestCondition certificates.CertificateSigningRequestSpec
	core.EventSeries core.EventSource core.HostIP core.NodeAddress core.NodeConfigSource core.PersistentVolumeSource core.PodIP
	core.PodTemplateSpec core.ScopeSelector core.ServicePort core.Taint
	discovery.Endpoint discovery.EndpointPort
	networking.IPBlock networking.IngressBackend networking.IngressClassSpec networking.ParentReference networking.ServiceCIDRSpec
	node.Scheduling
	policy.PodDisruptionBudgetSpec
	rbac.RoleRef
	storage.CSIDriverSpec storage.CSINodeDriver storage.VolumeAttachmentSpec storage.VolumeError`)

// By group, which the published types are of; in this order, because what two groups share is named by the first.
var versions = []schema.GroupVersion{
	{Group: "", Version: "v1"},
	{Group: "admissionregistration.k8s.io", Version: "v1"},
	{Group: "apps", Version: "v1"},
	{Group: "autoscaling", Version: "v2"},
	{Group: "batch", Version: "v1"},
	{Group: "certificates.k8s.io", Version: "v1"},
	{Group: "discovery.k8s.io", Version: "v1"},
	{Group: "networking.k8s.io", Version: "v1"},
	{Group: "node.k8s.io", Version: "v1"},
	{Group: "policy", Version: "v1"},
	{Group: "rbac.authorization.k8s.io", Version: "v1"},
	{Group: "storage.k8s.io", Version: "v1"},
}

var leaves = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "q",
	reflect.TypeFor[meta.Time]():          "t",
	reflect.TypeFor[meta.MicroTime]():     "t",
	reflect.TypeFor[intstr.IntOrString](): "o",
	reflect.TypeFor[meta.FieldsV1]():      "j",
	reflect.TypeFor[[]byte]():             "y",
}

type member []any

type shape struct {
	Type   string   `json:"type"`
	Fields []member `json:"fields"`
}

type shapes map[string]shape

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write() error {
	found := shapes{}
	for _, version := range versions {
		published := legacyscheme.Scheme.KnownTypes(version)
		inside := legacyscheme.Scheme.KnownTypes(schema.GroupVersion{Group: version.Group, Version: "__internal"})
		kinds := make([]string, 0, len(inside))
		for kind := range inside {
			kinds = append(kinds, kind)
		}
		sort.Strings(kinds)
		for _, kind := range kinds {
			if beside, ok := published[kind]; ok {
				found.walk(inside[kind], beside)
			}
		}
	}
	wanted := map[string]bool{}
	for _, name := range printed {
		if err := found.gather(name, wanted); err != nil {
			return err
		}
	}
	names := make([]string, 0, len(wanted))
	for name := range wanted {
		names = append(names, name)
	}
	sort.Strings(names)
	lines := json.NewEncoder(os.Stdout)
	for _, name := range names {
		if err := lines.Encode(found[name]); err != nil {
			return err
		}
	}
	return nil
}

// walk keeps what a struct has, and what the structs in it have; published may be nil, where it has no such member.
func (found shapes) walk(inside, published reflect.Type) {
	inside, published = core(inside), core(published)
	if _, leaf := leaves[inside]; leaf || inside.Kind() != reflect.Struct {
		return
	}
	name := nameOf(inside)
	if _, there := found[name]; there {
		return
	}
	found[name] = shape{} // it may contain itself
	made := shape{Type: name}
	for _, one := range found.members(inside, published) {
		made.Fields = append(made.Fields, one.told)
		found.walk(one.inside, one.published)
	}
	found[name] = made
}

type field struct {
	told              member
	inside, published reflect.Type
}

// members are those that encoding/json prints: of an embedded struct without a name, its own.
func (known shapes) members(inside, published reflect.Type) []field {
	var found []field
	for i := range inside.NumField() {
		one := inside.Field(i)
		name, options, _ := strings.Cut(one.Tag.Get("json"), ",")
		if name == "-" || !one.IsExported() {
			continue
		}
		if one.Anonymous && name == "" {
			beside := besides(published, one)
			known.walk(one.Type, beside) // messages print some of them alone, too
			found = append(found, known.members(one.Type, beside)...)
			continue
		}
		key, beside := name, reflect.Type(nil)
		if twin, ok := twinOf(published, one.Name); ok {
			beside = twin.Type
			if key == "" {
				key, _, _ = strings.Cut(twin.Tag.Get("json"), ",")
			}
		}
		if key == "" {
			key = strings.ToLower(one.Name[:1]) + one.Name[1:]
		}
		if name == "" {
			name = one.Name
		}
		told := member{name, key, kindOf(one.Type)}
		if strings.Contains(options, "omitempty") {
			told = append(told, 1)
		}
		found = append(found, field{told, one.Type, beside})
	}
	return found
}

// besides is what stands for an embedded struct: its own twin, or the whole that its members were moved into.
func besides(published reflect.Type, embedded reflect.StructField) reflect.Type {
	if twin, ok := twinOf(published, embedded.Name); ok {
		return core(twin.Type)
	}
	return published
}

func twinOf(published reflect.Type, name string) (reflect.StructField, bool) {
	if published == nil || published.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	return published.FieldByName(name)
}

func kindOf(one reflect.Type) string {
	if leaf, ok := leaves[one]; ok {
		return leaf
	}
	switch one.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "i"
	case reflect.Float64:
		return "f"
	case reflect.Pointer:
		return "*" + kindOf(one.Elem())
	case reflect.Slice:
		return "[" + kindOf(one.Elem())
	case reflect.Map:
		return "{" + kindOf(one.Elem())
	case reflect.Struct:
		return nameOf(one)
	default:
		return "j"
	}
}

// core is what pointers, lists and maps are of.
func core(one reflect.Type) reflect.Type {
	for one != nil {
		if _, leaf := leaves[one]; leaf {
			return one
		}
		switch one.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			one = one.Elem()
		default:
			return one
		}
	}
	return one
}

func nameOf(one reflect.Type) string {
	if one.PkgPath() == reflect.TypeFor[meta.Time]().PkgPath() {
		return "meta." + one.Name()
	}
	return path.Base(one.PkgPath()) + "." + one.Name()
}

func (found shapes) gather(name string, wanted map[string]bool) error {
	if wanted[name] {
		return nil
	}
	made, ok := found[name]
	if !ok {
		return fmt.Errorf("this version of Kubernetes has no %s: look for it in internal_shapes.go", name)
	}
	wanted[name] = true
	for _, one := range made.Fields {
		if kind := strings.TrimLeft(one[2].(string), "*[{"); strings.Contains(kind, ".") {
			if err := found.gather(kind, wanted); err != nil {
				return err
			}
		}
	}
	return nil
}
