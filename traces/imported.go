package traces

import "fmt"

// Imported is what the import of a trace found. All importers return it.
type Imported struct {
	Jobs []Job // in order of submission, ties in the order of the trace
	// Machines is empty where the trace has none, or their table is not at hand;
	// the report says so then.
	Machines []Machine
	Meta     Meta // for the files of jobs and machines
	Report   *Report
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
