// Encode writes Kubernetes objects as the protobuf that upstream's typed clients send: JSON in, one object in a line;
// hexadecimal out, a line for each. `python -m tools.oracle encode` builds it in the oracle's Go module and runs it.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if err := encode(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func encode() error {
	known := scheme.Scheme
	if err := apiextensions.AddToScheme(known); err != nil {
		return err
	}
	// Not the universal decoder: it would fill in defaults, and a client does not.
	reader := serializer.NewCodecFactory(known).UniversalDeserializer()
	writer := protobuf.NewSerializer(known, known)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		object, _, err := reader.Decode(lines.Bytes(), nil, nil)
		if err != nil {
			return err
		}
		var encoded bytes.Buffer
		if err := writer.Encode(object, &encoded); err != nil {
			return err
		}
		fmt.Printf("%x\n", encoded.Bytes())
	}
	return lines.Err()
}
