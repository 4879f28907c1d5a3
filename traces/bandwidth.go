package traces

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// GammaParameter says how the second parameter of the papers' Gamma
// distribution is read.
type GammaParameter string

// The two readings of "Gamma(4, 200)".
const (
	GammaScale GammaParameter = "scale" // mean 4·200 = 800 cycles per bit
	GammaRate  GammaParameter = "rate"  // the literal reading: mean 4/200 = 0.02
)

// Bandwidth synthesises what no trace records: how much of a wireless link
// one task needs. A task that computes for its user must receive its input at
// the speed at which it works on it:
//
//	d_bps = d_cpu·f_cpu/X,  d_bw = d_bps/spectral efficiency,
//
// with X ~ Gamma(Shape, Second) cycles per bit, one draw a job.
//
// References: TSF-ER paper, section 6.1; multi-AP paper, section 6.
//
// Deviations: the papers print "rate 200". With a rate of 200 a task needs
// about 10⁴ times the papers' 1–3 MHz links, and every rule gives the same
// split; with a scale of 200 the papers' statements hold. Scale is the
// default, [GammaRate] the literal reading.
type Bandwidth struct {
	CPUHz       float64        `json:"cpu_hz"`        // f_cpu, cycles per second of one unit of cpu; > 0
	BitsPerHz   float64        `json:"bits_per_hz"`   // spectral efficiency, bit/s per Hz; > 0
	GammaShape  float64        `json:"gamma_shape"`   // > 0
	GammaSecond float64        `json:"gamma_second"`  // > 0
	Parameter   GammaParameter `json:"gamma_reading"` // of GammaSecond
}

// DefaultBandwidth returns the papers' numbers: 2.6 GHz, 3.5 bit/s per Hz,
// Gamma(shape 4, scale 200).
func DefaultBandwidth() Bandwidth {
	return Bandwidth{CPUHz: 2.6e9, BitsPerHz: 3.5, GammaShape: 4, GammaSecond: 200, Parameter: GammaScale}
}

// Validate returns what is wrong with the parameters, or nil.
func (b Bandwidth) Validate() error {
	for _, p := range []struct {
		name  string
		value float64
	}{{"cpu_hz", b.CPUHz}, {"bits_per_hz", b.BitsPerHz}, {"gamma_shape", b.GammaShape}, {"gamma_second", b.GammaSecond}} {
		if !(p.value > 0) || math.IsInf(p.value, 1) {
			return fmt.Errorf("bandwidth: %s is %v, not a positive number", p.name, p.value)
		}
	}
	if b.Parameter != GammaScale && b.Parameter != GammaRate {
		return fmt.Errorf("bandwidth: gamma_reading is %q, not %q or %q", b.Parameter, GammaScale, GammaRate)
	}
	return nil
}

// CyclesPerBit draws X.
func (b Bandwidth) CyclesPerBit(rng *rand.Rand) float64 {
	rate := b.GammaSecond
	if b.Parameter == GammaScale {
		rate = 1 / b.GammaSecond
	}
	return distuv.Gamma{Alpha: b.GammaShape, Beta: rate, Src: rng}.Rand()
}

// MHz returns the bandwidth, in MHz, of a task that uses cpu units of
// processor and needs x cycles for a bit. The unit of cpu is the trace's: one
// unit (a core; for Google the largest machine) runs at CPUHz.
func (b Bandwidth) MHz(cpu, x float64) float64 {
	return cpu * b.CPUHz / x / b.BitsPerHz / 1e6
}

// Synthesize draws the bandwidth of one task of each job, in MHz, in the order
// of the jobs. A job without cpu needs none but draws as well, so that the
// others do not depend on it. Parameters that do not pass Validate panic.
func (b Bandwidth) Synthesize(rng *rand.Rand, jobs []Job) []float64 {
	if err := b.Validate(); err != nil {
		panic(err)
	}
	mhz := make([]float64, len(jobs))
	for i := range jobs {
		mhz[i] = b.Draw(rng, &jobs[i])
	}
	return mhz
}

// Draw draws the bandwidth of one task of a job, the next one of [Bandwidth.Synthesize].
func (b Bandwidth) Draw(rng *rand.Rand, j *Job) float64 { return b.MHz(j.CPU, b.CyclesPerBit(rng)) }
