package traces

import "fmt"

// Imported is what the import of a trace found. All importers return it.
type Imported struct {
	Jobs []Job // in order of submission, ties in the order of the trace
	// Machines is empty where the trace has none, or their table is not at hand;
	// the report and NoMachines say so then.
	Machines   []Machine
	NoMachines string
	Meta       Meta // for the files of jobs and machines
	Report     *Report
}

// Of returns the import of the trace at a path, with an error that wraps [ErrEmpty]
// if no job is left.
func (im *Imported) Of(path string) (*Imported, error) {
	if len(im.Jobs) == 0 {
		return im, fmt.Errorf("%s: %w that could be used; the report has the reasons", path, ErrEmpty)
	}
	return im, nil
}

// Validate returns what is wrong with the first job or machine that no file may
// hold, or nil.
func (im *Imported) Validate() error {
	for i := range im.Jobs {
		if err := im.Jobs[i].Validate(); err != nil {
			return fmt.Errorf("job %d of the trace: %w", i+1, err)
		}
	}
	for i := range im.Machines {
		if err := im.Machines[i].Validate(); err != nil {
			return fmt.Errorf("machine %d of the trace: %w", i+1, err)
		}
	}
	return nil
}
