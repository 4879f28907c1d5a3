//go:build !unix

package input

import (
	"errors"
	"os"
)

func makePipe(string) error { return errors.New("no named pipes") }

func fdName(*os.File) string { return "none" }
