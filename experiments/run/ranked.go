package run

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/leontief-sim/leontief/sim/metrics"
)

// ranked finds quantiles of the values of groups. Up to mostRanked values are held; of more
// they are sorted in runs, in a temporary file, and the runs are merged. The zero ranked is
// ready for use.
type ranked struct {
	groups []group // by their numbers
	counts []int
	number map[group]int
	held   []rankedValue

	file *os.File
	runs []int64 // where they end in the file
}

// rankedValue is a value of a group.
type rankedValue struct {
	group int
	value float64
}

// A value in the file is the number of its group and itself.
const rankedBytes = 16

// mostRanked is how many values are held.
const mostRanked = 1 << 16

// add takes a value.
func (r *ranked) add(g group, v float64) error {
	k, known := r.number[g]
	if !known {
		if r.number == nil {
			r.number = map[group]int{}
		}
		k = len(r.groups)
		r.number[g] = k
		r.groups, r.counts = append(r.groups, g), append(r.counts, 0)
	}
	r.counts[k]++
	if r.held = append(r.held, rankedValue{k, v}); len(r.held) < mostRanked {
		return nil
	}
	return r.spill()
}

// count returns the number of values of a group; 0 for one that has none.
func (r *ranked) count(g group) int {
	k, known := r.number[g]
	if !known {
		return 0
	}
	return r.counts[k]
}

// spill writes what is held as a run.
func (r *ranked) spill() (err error) {
	if r.file == nil {
		if r.file, err = temporary("leontief-ranked-*"); err != nil {
			return err
		}
	}
	slices.SortFunc(r.held, rankedValue.compare)
	out, b := bufio.NewWriterSize(r.file, 1<<16), [rankedBytes]byte{}
	for _, v := range r.held {
		binary.LittleEndian.PutUint64(b[:], uint64(v.group))
		binary.LittleEndian.PutUint64(b[8:], math.Float64bits(v.value))
		if _, err := out.Write(b[:]); err != nil {
			return err
		}
	}
	end := int64(len(r.held)) * rankedBytes
	if n := len(r.runs); n > 0 {
		end += r.runs[n-1]
	}
	r.runs, r.held = append(r.runs, end), r.held[:0]
	return out.Flush()
}

func (v rankedValue) compare(o rankedValue) int {
	return cmp.Or(cmp.Compare(v.group, o.group), cmp.Compare(v.value, o.value))
}

// quantiles returns those of [spreads] of each group, by [metrics.Quantile].
func (r *ranked) quantiles() (map[group][]float64, error) {
	next, err := r.merge()
	if err != nil {
		return nil, err
	}
	all := map[group][]float64{}
	for k, g := range r.groups {
		q := make([]quantile, len(spreads))
		for i, s := range spreads {
			q[i] = quantile{p: s.p, n: r.counts[k]}
		}
		for i := range r.counts[k] {
			v, err := next()
			if err != nil {
				return nil, fmt.Errorf("values, kept in %s: %w", os.TempDir(), err)
			}
			for m := range q {
				q[m].see(i, v.value)
			}
		}
		for m := range q {
			all[g] = append(all[g], q[m].value())
		}
	}
	return all, nil
}

// quantile picks the order statistics of a quantile from n values that come in ascending
// order.
type quantile struct {
	p    float64
	n    int
	near []float64 // at most two
}

func (q *quantile) see(rank int, v float64) {
	if i, _ := metrics.QuantileAt(q.n, q.p); rank == i || rank == i+1 {
		q.near = append(q.near, v)
	}
}

func (q *quantile) value() float64 {
	if len(q.near) == 1 {
		return q.near[0]
	}
	_, part := metrics.QuantileAt(q.n, q.p)
	return q.near[0] + part*(q.near[1]-q.near[0])
}

// merge returns what returns the values in ascending order.
func (r *ranked) merge() (next func() (rankedValue, error), err error) {
	if r.file == nil {
		slices.SortFunc(r.held, rankedValue.compare)
		return func() (v rankedValue, err error) {
			if len(r.held) == 0 {
				return v, io.ErrUnexpectedEOF
			}
			v, r.held = r.held[0], r.held[1:]
			return v, nil
		}, nil
	}
	if err := r.spill(); err != nil {
		return nil, err
	}
	var runs runHeap
	begin := int64(0)
	for _, end := range r.runs {
		run := &run{in: bufio.NewReaderSize(io.NewSectionReader(r.file, begin, end-begin), 1<<12)}
		if begin = end; run.advance() {
			runs = append(runs, run)
		}
	}
	heap.Init(&runs)
	return runs.next, nil
}

// discard removes the file.
func (r *ranked) discard() {
	if r.file != nil {
		discardTemporary(r.file)
		r.file = nil
	}
}

// run is a sorted part of the values.
type run struct {
	in   *bufio.Reader
	head rankedValue
	err  error
}

// advance reads a value, and reports whether there is one.
func (r *run) advance() bool {
	var b [rankedBytes]byte
	if _, r.err = io.ReadFull(r.in, b[:]); r.err != nil {
		return false
	}
	r.head = rankedValue{int(binary.LittleEndian.Uint64(b[:])), math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))}
	return true
}

// runHeap is a [heap.Interface] of runs by their first value.
type runHeap []*run

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return h[i].head.compare(h[j].head) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*run)) }
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (h *runHeap) next() (rankedValue, error) {
	if len(*h) == 0 {
		return rankedValue{}, io.ErrUnexpectedEOF
	}
	first := (*h)[0]
	v := first.head
	if first.advance() {
		heap.Fix(h, 0)
	} else if heap.Pop(h); !errors.Is(first.err, io.EOF) {
		return v, first.err
	}
	return v, nil
}
