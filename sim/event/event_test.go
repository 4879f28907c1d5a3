package event

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func drain[T any](q *Queue[T]) []T {
	var all []T
	for {
		e, ok := q.Pop()
		if !ok {
			return all
		}
		all = append(all, e.Payload)
	}
}

func TestEarlierTimesComeFirst(t *testing.T) {
	var q Queue[int]
	for _, at := range []Time{5, -3, 9, 0, 7} {
		q.Push(at, 0, int(at))
	}
	if diff := cmp.Diff([]int{-3, 0, 5, 7, 9}, drain(&q)); diff != "" {
		t.Error(diff)
	}
}

func TestPhasesOrderAnInstant(t *testing.T) {
	var q Queue[string]
	q.Push(1, 2, "allocation")
	q.Push(1, 0, "completion")
	q.Push(1, 1, "arrival")
	q.Push(0, 3, "earlier sample")
	if diff := cmp.Diff([]string{"earlier sample", "completion", "arrival", "allocation"}, drain(&q)); diff != "" {
		t.Error(diff)
	}
}

func TestEqualsAreFirstInFirstOut(t *testing.T) {
	var q Queue[int]
	for i := range 100 {
		q.Push(4, 1, i)
	}
	for i := range 50 { // taking some does not renumber the others
		if e, _ := q.Pop(); e.Payload != i {
			t.Fatalf("event %d came out at place %d", e.Payload, i)
		}
	}
	q.Push(4, 1, 100)
	want := make([]int, 51)
	for i := range want {
		want[i] = 50 + i
	}
	if diff := cmp.Diff(want, drain(&q)); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyQueueHasNothing(t *testing.T) {
	var q Queue[int]
	if _, ok := q.Peek(); ok {
		t.Error("Peek found something")
	}
	if _, ok := q.Pop(); ok {
		t.Error("Pop found something")
	}
	q.Push(1, 1, 1)
	q.Pop()
	if _, ok := q.Pop(); ok || q.Len() != 0 {
		t.Error("Pop found something in an emptied queue")
	}
}

// sorted is the obvious twin of Queue: a slice kept in order.
type sorted struct{ all []Event[int] }

func (s *sorted) push(e Event[int]) {
	i := len(s.all)
	for i > 0 && e.sooner(&s.all[i-1]) {
		i--
	}
	s.all = slices.Insert(s.all, i, e)
}

func TestTotalOrderUnderRandomPushAndPop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[int]
		var twin sorted
		for i := range rapid.IntRange(1, 300).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "pop?") < 4 {
				got, ok := q.Pop()
				if ok != (len(twin.all) > 0) {
					t.Fatalf("Pop found an event: %v; the twin holds %d", ok, len(twin.all))
				}
				if ok {
					if got != twin.all[0] {
						t.Fatalf("popped %v, want %v", got, twin.all[0])
					}
					twin.all = twin.all[1:]
				}
				continue
			}
			e := Event[int]{Time(rapid.IntRange(0, 5).Draw(t, "time")), Phase(rapid.IntRange(0, 2).Draw(t, "phase")), i}
			q.Push(e.At, e.Phase, e.Payload)
			twin.push(e)
			if first, _ := q.Peek(); first != twin.all[0] || q.Len() != len(twin.all) {
				t.Fatalf("first of %d is %v, want %v of %d", q.Len(), first, twin.all[0], len(twin.all))
			}
		}
	})
}

func fromSlice(times ...Time) func() (Time, string, bool) {
	i := 0
	return func() (Time, string, bool) {
		if i == len(times) {
			return 0, "", false
		}
		i++
		return times[i-1], fmt.Sprintf("arrival %d", i-1), true
	}
}

func TestOneAllocationFollowsAllEventsOfAnInstant(t *testing.T) {
	const completion, arrival, allocation, sample Phase = 0, 1, 2, 3
	var engine Engine[string]
	engine.Feed(arrival, fromSlice(10, 10, 20))
	engine.Schedule(10, sample, "sample")
	engine.Schedule(10, completion, "completion")
	var log []string
	asked := Time(-1)
	err := engine.Run(func(e Event[string]) error {
		log = append(log, fmt.Sprintf("%d %s", e.At, e.Payload))
		if e.Phase < allocation && asked != e.At {
			asked = e.At
			engine.Schedule(e.At, allocation, "allocation")
		}
		return nil
	})
	want := []string{"10 completion", "10 arrival 0", "10 arrival 1", "10 allocation", "10 sample",
		"20 arrival 2", "20 allocation"}
	if diff := cmp.Diff(want, log); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if engine.Now() != 20 {
		t.Errorf("the clock stands at %d, want 20", engine.Now())
	}
}

func TestFeedsComeBeforeTheQueueAmongEquals(t *testing.T) {
	var engine Engine[string]
	engine.Schedule(1, 0, "queued")
	engine.Feed(0, fromSlice(1))
	engine.Feed(0, func() (Time, string, bool) { return 1, "second feed", engine.Now() < 1 })
	var log []string
	for range 3 {
		e, _ := engine.Next()
		log = append(log, e.Payload)
	}
	if diff := cmp.Diff([]string{"arrival 0", "second feed", "queued"}, log); diff != "" {
		t.Error(diff)
	}
}

// The engine's merge of feeds and queue equals one queue into which all was
// pushed, feeds first.
func TestCursorsEqualBulkPushing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var engine Engine[string]
		var twin Queue[string]
		for range 3 {
			times := make([]Time, rng.IntN(20))
			for i := range times {
				times[i] = Time(rng.IntN(8))
			}
			slices.Sort(times)
			phase := Phase(rng.IntN(2))
			for i, at := range times {
				twin.Push(at, phase, fmt.Sprintf("arrival %d", i))
			}
			engine.Feed(phase, fromSlice(times...))
		}
		for i := range 20 {
			at, phase := Time(rng.IntN(8)), Phase(rng.IntN(2))
			twin.Push(at, phase, fmt.Sprint("queued ", i))
			engine.Schedule(at, phase, fmt.Sprint("queued ", i))
		}
		var got []string
		if err := engine.Run(func(e Event[string]) error { got = append(got, e.Payload); return nil }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(drain(&twin), got); diff != "" {
			t.Fatal(diff)
		}
	}
}

// Events that are scheduled for the present instant while it lasts come where one
// queue would have put them: behind those that were scheduled before.
func TestThePresentInstantEqualsOneQueue(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	behind := 0
	for range 200 {
		var engine Engine[int]
		var twin Queue[int]
		n := 0
		schedule := func(at Time, phase Phase) {
			engine.Schedule(at, phase, n)
			twin.Push(at, phase, n)
			n++
		}
		for range 10 {
			schedule(Time(rng.IntN(4)), Phase(rng.IntN(3)))
		}
		for {
			if engine.Scheduled() != twin.Len() {
				t.Fatalf("%d events are scheduled, want %d", engine.Scheduled(), twin.Len())
			}
			want, more := twin.Pop()
			got, ok := engine.Next()
			if got != want || ok != more {
				t.Fatalf("handed out %v, want %v", got, want)
			}
			if !ok {
				break
			}
			if n < 40 {
				schedule(got.At, got.Phase+Phase(rng.IntN(2)))
				schedule(got.At+Time(rng.IntN(2)), 200)
				behind++
			}
		}
	}
	if behind < 2000 {
		t.Errorf("only %d events schedule others", behind)
	}
}

func TestWithdrawnEventsAreNotHandedOut(t *testing.T) {
	var engine Engine[string]
	engine.Feed(1, fromSlice(1, 6))
	for i, at := range []Time{7, 5, 9} {
		engine.Schedule(at, 0, fmt.Sprint("queued ", i))
	}
	engine.Next()
	engine.Schedule(1, 2, "now")
	var log []string
	for _, e := range engine.Withdraw() {
		log = append(log, e.Payload)
	}
	if again := engine.Withdraw(); len(again) > 0 {
		t.Errorf("withdrawn again: %v", again)
	}
	for e, ok := engine.Next(); ok; e, ok = engine.Next() {
		log = append(log, e.Payload)
	}
	if diff := cmp.Diff([]string{"queued 1", "queued 0", "queued 2", "now", "arrival 1"}, log); diff != "" || engine.Scheduled() != 0 {
		t.Error(diff)
	}
}

func TestRunStopsAtTheFirstError(t *testing.T) {
	var engine Engine[int]
	for i := range 5 {
		engine.Schedule(Time(i), 0, i)
	}
	stop := errors.New("stop")
	err := engine.Run(func(e Event[int]) error {
		if e.Payload == 2 {
			return stop
		}
		return nil
	})
	if err != stop || engine.Now() != 2 {
		t.Errorf("stopped at %d with %v", engine.Now(), err)
	}
}

func mustPanic(t *testing.T, with string, f func()) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, with) {
			t.Errorf("panicked with %q, want %q in it", got, with)
		}
	}()
	f()
}

func TestThePastIsClosed(t *testing.T) {
	var engine Engine[int]
	engine.Schedule(-5, 0, 0) // before the start every time is open
	engine.Schedule(3, 1, 0)
	engine.Next()
	engine.Next()
	engine.Schedule(3, 1, 0) // now is open
	mustPanic(t, "scheduled at (3, 1)", func() { engine.Schedule(2, 5, 0) })
	mustPanic(t, "scheduled at (3, 1)", func() { engine.Schedule(3, 0, 0) })
	mustPanic(t, "after the start", func() { engine.Feed(0, nil) })
}

func TestAFeedThatGoesBackPanics(t *testing.T) {
	var engine Engine[string]
	engine.Feed(0, fromSlice(5, 4))
	mustPanic(t, "goes back from time 5 to 4", func() { engine.Next() })
}

func TestPushAndPopDoNotAllocate(t *testing.T) {
	var q Queue[[4]int64]
	for i := range 1000 {
		q.Push(Time(i), 0, [4]int64{})
	}
	if n := testing.AllocsPerRun(1000, func() {
		e, _ := q.Pop()
		q.Push(e.At+1000, 0, e.Payload)
	}); n != 0 {
		t.Errorf("%v allocations a pop and push", n)
	}
}

// The hold model: a queue of constant size from which the first event is taken
// and put back a random while later.
func BenchmarkHold(b *testing.B) {
	for _, size := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprint("size=", size), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			var q Queue[int32]
			for range size {
				q.Push(Time(rng.Int64N(1e6)), 0, 0)
			}
			b.ReportAllocs()
			begin := processorTime(b)
			for b.Loop() {
				e, _ := q.Pop()
				q.Push(e.At+Time(rng.Int64N(1e6)), 0, e.Payload)
			}
			b.ReportMetric((processorTime(b)-begin)/float64(b.N)*1e9, "cpu-ns/op")
		})
	}
}

// The hold model with an allocation in every instant: two
// operations are a completion, which schedules the next one, and the allocation that
// follows it.
func BenchmarkInstants(b *testing.B) {
	for _, size := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprint("size=", size), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			var engine Engine[int32]
			engine.Feed(1, func() (Time, int32, bool) { return 0, 0, false })
			for range size {
				engine.Schedule(Time(rng.Int64N(1e6)), 0, 0)
			}
			b.ReportAllocs()
			for b.Loop() {
				e, _ := engine.Next()
				if e.Phase == 0 {
					engine.Schedule(e.At, 2, 0)
					engine.Schedule(e.At+1+Time(rng.Int64N(1e6)), 0, e.Payload)
				}
			}
		})
	}
}

// Few events and many are withdrawn in the order in which they would be handed out.
func TestEventsAreWithdrawnInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for n := range 4 * fewEvents {
		var withdrawn, popped Queue[int]
		for i := range n {
			at, phase := Time(rng.IntN(1+n/4)), Phase(rng.IntN(3))
			withdrawn.Push(at, phase, i)
			popped.Push(at, phase, i)
		}
		for i, got := range withdrawn.drain(nil) {
			if want, _ := popped.Pop(); got != want {
				t.Fatalf("event %d of %d is %v, want %v", i, n, got, want)
			}
		}
		if withdrawn.Len() > 0 || popped.Len() > 0 {
			t.Fatalf("of %d events %d stay, and %d were not withdrawn", n, withdrawn.Len(), popped.Len())
		}
	}
}
