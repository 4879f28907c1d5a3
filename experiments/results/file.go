package results

import (
	"bufio"
	"errors"
	"io"

	"github.com/leontief-sim/leontief/traces/output"
)

// writeFile writes path through write so that it appears whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := output.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return errors.Join(err, f.Abort())
	}
	if err := w.Flush(); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}
