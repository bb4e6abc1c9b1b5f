// The oracle of argosy.domain.templates: text/template with Sprig's functions, as Argo CD sets them up.
//
// Reads one case per line (template, params, missing, typed) and answers each with a line: its output or its error.
// `typed` names parameters whose Go type JSON cannot tell: map[string]string and []string.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/gosimple/slug"
	"github.com/valyala/fasttemplate"
	"sigs.k8s.io/yaml"
)

type question struct {
	Template string         `json:"template"`
	Params   map[string]any `json:"params"`
	Missing  string         `json:"missing"`
	Typed    []string       `json:"typed"`
	Flat     bool           `json:"flat"`
}

type answer struct {
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
}

var notInNames = regexp.MustCompile("[^-a-z0-9.]")

func normalize(name string) string {
	name = notInNames.ReplaceAllString(strings.ToLower(name), "-")
	if len(name) > 253 {
		name = name[:253]
	}
	return strings.Trim(name, "-.")
}

func slugify(args ...any) string {
	longest, smart, name := 50, true, ""
	for at, arg := range args {
		switch {
		case at == len(args)-1:
			name = arg.(string)
		case at == 0:
			longest = arg.(int)
		case at == 1:
			smart = arg.(bool)
		}
	}
	slug.MaxLength, slug.EnableSmartTruncate = longest, smart
	return slug.Make(normalize(name))
}

func functions() template.FuncMap {
	known := template.FuncMap(sprig.GenericFuncMap())
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(known, name)
	}
	known["normalize"], known["slugify"] = normalize, slugify
	known["toYaml"] = func(value any) (string, error) {
		data, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(data), "\n"), err
	}
	known["fromYaml"] = func(text string) (map[string]any, error) {
		found := map[string]any{}
		return found, yaml.Unmarshal([]byte(text), &found)
	}
	known["fromYamlArray"] = func(text string) ([]any, error) {
		found := []any{}
		return found, yaml.Unmarshal([]byte(text), &found)
	}
	return known
}

func withTpl(parent *template.Template) *template.Template {
	depth := 0
	return parent.Funcs(template.FuncMap{"tpl": func(text string, data any) (string, error) {
		depth++
		defer func() { depth-- }()
		if depth > 3 {
			return "", fmt.Errorf("maximum recursion depth 3 exceeded in tpl function")
		}
		copied, err := parent.Clone()
		if err != nil {
			return "", err
		}
		parsed, err := copied.New(parent.Name()).Parse(text)
		if err != nil {
			return "", fmt.Errorf("cannot parse template %q: %w", text, err)
		}
		var written strings.Builder
		if err := parsed.Execute(&written, data); err != nil {
			return "", fmt.Errorf("error during tpl function execution for %q: %w", text, err)
		}
		return strings.ReplaceAll(written.String(), "<no value>", ""), nil
	}})
}

func flat(asked question) (string, error) {
	if !regexp.MustCompile(".*{{.*}}.*").MatchString(asked.Template) {
		return asked.Template, nil
	}
	parsed, err := fasttemplate.NewTemplate(asked.Template, "{{", "}}")
	if err != nil {
		return "", fmt.Errorf("invalid template: %w", err)
	}
	return parsed.ExecuteFuncString(func(to io.Writer, tag string) (int, error) {
		name := strings.TrimSpace(tag)
		if value, ok := asked.Params[name].(string); ok && name != "" {
			return to.Write([]byte(value))
		}
		return fmt.Fprintf(to, "{{%s}}", tag)
	}), nil
}

func rendered(asked question, base *template.Template) (found string, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	if asked.Flat {
		return flat(asked)
	}
	one, err := base.Clone()
	if err != nil {
		return "", err
	}
	if asked.Missing != "" {
		one = one.Option("missingkey=" + asked.Missing)
	}
	parsed, err := withTpl(one).Parse(asked.Template)
	if err != nil {
		return "", err
	}
	var written strings.Builder
	err = parsed.Execute(&written, asked.Params)
	return written.String(), err
}

func typed(asked *question) {
	for _, name := range asked.Typed {
		switch value := asked.Params[name].(type) {
		case map[string]any:
			made := map[string]string{}
			for key, inner := range value {
				made[key] = inner.(string)
			}
			asked.Params[name] = made
		case []any:
			made := []string{}
			for _, inner := range value {
				made = append(made, inner.(string))
			}
			asked.Params[name] = made
		}
	}
}

func main() {
	base := template.New("base").Funcs(functions())
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked question
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		typed(&asked)
		found, failure := rendered(asked, base)
		told := answer{Output: &found}
		if failure != nil {
			told = answer{Error: failure.Error()}
		}
		data, _ := json.Marshal(told)
		out.Write(append(data, '\n'))
		out.Flush()
	}
}
