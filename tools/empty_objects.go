// Empty_objects writes what Go puts into an object before anybody did: `kube/server/ownership/v*_empty.jsonl`. It is told the kinds, a
// group, a version and a kind in a line; whatever has more than its metadata gets a line. `python -m tools.oracle tables` builds and
// runs it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type line struct {
	Type  string         `json:"type"`
	Empty map[string]any `json:"empty"`
}

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write() error {
	for _, add := range []func() error{
		func() error { return apiextensions.AddToScheme(scheme.Scheme) },
		func() error { return apiregistration.AddToScheme(scheme.Scheme) },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	found := map[string]line{}
	kinds := bufio.NewScanner(os.Stdin)
	for kinds.Scan() {
		words := strings.Split(kinds.Text(), " ")
		object, err := scheme.Scheme.New(schema.GroupVersionKind{Group: words[0], Version: words[1], Kind: words[2]})
		if err != nil {
			return err
		}
		one := line{Type: nameOf(reflect.TypeOf(object).Elem())}
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &one.Empty); err != nil {
			return err
		}
		if _, alone := one.Empty["metadata"]; alone && len(one.Empty) > 1 {
			found[one.Type] = one
		}
	}
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	sort.Strings(names)
	lines := json.NewEncoder(os.Stdout)
	for _, name := range names {
		if err := lines.Encode(found[name]); err != nil {
			return err
		}
	}
	return kinds.Err()
}

func nameOf(one reflect.Type) string {
	version := path.Base(one.PkgPath())
	return path.Base(path.Dir(one.PkgPath())) + "." + version + "." + one.Name()
}
