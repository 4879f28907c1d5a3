package traces

// Imported is what the import of a trace found. All importers return it.
type Imported struct {
	Jobs []Job // in order of submission, ties in the order of the trace
	// Machines is empty where the trace has none, or their table is not at hand;
	// the report says so then.
	Machines []Machine
	Meta     Meta // for the files of jobs and machines
	Report   *Report
}
