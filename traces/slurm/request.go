package slurm

import (
	"strings"
)

// request is what a job had, in total.
type request struct {
	cpus, mem, gpus, nodes   float64 // mem in GiB
	hasMem, hasGPUs, hasNode bool
	memRequested             bool   // what was allocated does not have memory: that requested
	reason                   string // for which the job is left out
}

// source is where a kind of resources stands: the trackable resources, and the
// columns of old versions for processors.
type source struct {
	tres string
	cpus []string
}

// sources are the choices of Options.Resources.
var sources = map[string]source{
	"requested": {"ReqTRES", []string{"ReqCPUS"}},
	"allocated": {"AllocTRES", []string{"AllocCPUS", "NCPUS"}},
}

// request reads what a row's job had.
func (r row) request(s source) (q request) {
	all := r.tres(s.tres)
	set := func(name string, read func(string) (float64, error)) (float64, bool) {
		text, ok := all[name]
		if !ok {
			return 0, false
		}
		v, err := read(text)
		r.fail(s.tres, err)
		return v, true
	}
	var ok bool
	if q.cpus, ok = set("cpu", amount); !ok {
		q.cpus, ok = r.number(s.cpus...)
	}
	if !ok {
		q.reason = "no number of processors"
	}
	q.nodes, q.hasNode = r.nodes()
	if q.mem, q.hasMem = set("mem", memory); !q.hasMem {
		q.mem, q.hasMem = r.reqMem(&q)
		q.memRequested = s.tres == "AllocTRES" && q.hasMem
	}
	gpus, mentioned, err := all.gpus()
	r.fail(s.tres, err)
	q.gpus, q.hasGPUs = gpus, mentioned
	if text, _ := r.get("ReqGRES"); !mentioned && strings.Contains(text, "gpu") {
		q.reason = "GPUs that only ReqGRES tells of: their number is not known"
	}
	return q
}

// nodes returns how many nodes a job had: what was allocated, where that is known.
func (r row) nodes() (float64, bool) {
	if text, ok := r.tres("AllocTRES")["node"]; ok {
		n, err := amount(text)
		r.fail("AllocTRES", err)
		return n, true
	}
	if n, ok := r.number("AllocNodes", "NNodes"); ok && n > 0 {
		return n, true
	}
	if text, ok := r.tres("ReqTRES")["node"]; ok {
		n, err := amount(text)
		r.fail("ReqTRES", err)
		return n, true
	}
	return r.number("ReqNodes")
}

// reqMem returns the memory requested: of ReqTRES, or of ReqMem, in old versions for
// each processor (c) or node (n).
func (r row) reqMem(q *request) (float64, bool) {
	if text, ok := r.tres("ReqTRES")["mem"]; ok {
		v, err := memory(text)
		r.fail("ReqTRES", err)
		return v, true
	}
	text, at := r.get("ReqMem")
	if text == "" {
		return 0, false
	}
	times := 1.0
	switch text[len(text)-1] {
	case 'c':
		times, text = q.cpus, text[:len(text)-1]
	case 'n':
		if !q.hasNode {
			return 0, false
		}
		times, text = q.nodes, text[:len(text)-1]
	}
	v, err := memory(text)
	r.fail(at, err)
	return v * times, true
}
