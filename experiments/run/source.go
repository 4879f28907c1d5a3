package run

// Workload says where the jobs came from.
type Workload struct {
	Label          string         `json:"label"`  // real, hybrid or … (synthetic)
	Source         string         `json:"source"` // the published trace, or the generator
	SourceChecksum string         `json:"source_sha256"`
	Options        string         `json:"options"` // of the import or the generator
	File           string         `json:"file"`    // base name; "" for an embedded workload
	Checksum       string         `json:"file_sha256"`
	Units          string         `json:"units,omitempty"` // of what jobs request, see [traces.Meta]
	Jobs           int            `json:"jobs"`
	LeftOut        map[string]int `json:"left_out"` // of these jobs, by reason
	// Ignored counts the jobs that request something that the cluster has not, by
	// resource, where that was to be ignored; see [Population.On].
	Ignored map[string]int `json:"ignored,omitempty"`
	// Marked is the label with what was ignored; "" if nothing was. See
	// [Workload.Mark].
	Marked string `json:"marked,omitempty"`
	// Notes are what else a reader of the results should know, a line each.
	Notes []string `json:"notes,omitempty"`
}
