package machines

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"

	"github.com/leontief-sim/leontief/sim/cluster"
)

// quantityForm is a quantity of Kubernetes: a decimal, then a suffix of powers of 1000
// (n, u, m, k, M, …), of powers of 1024 (Ki, Mi, …), or a decimal exponent.
var quantityForm = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,3})?$`)

// suffixes are the powers by suffix: base 10 or 2, and the exponent.
var suffixes = map[string][2]int64{
	"": {10, 0}, "n": {10, -9}, "u": {10, -6}, "m": {10, -3}, "k": {10, 3}, "M": {10, 6}, "G": {10, 9}, "T": {10, 12}, "P": {10, 15}, "E": {10, 18},
	"Ki": {2, 10}, "Mi": {2, 20}, "Gi": {2, 30}, "Ti": {2, 40}, "Pi": {2, 50}, "Ei": {2, 60},
}

// parseQuantity reads a quantity of Kubernetes exactly. Negative ones, which no capacity
// is, are errors.
func parseQuantity(text string) (*big.Rat, error) {
	parts := quantityForm.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("%q is not a quantity, as 3920m, 16Gi or 129e6", text)
	}
	number, ok := new(big.Rat).SetString(parts[1])
	if !ok {
		return nil, fmt.Errorf("%q is not a quantity", text)
	}
	power, known := suffixes[parts[2]]
	if !known {
		exponent, err := strconv.ParseInt(parts[2][1:], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a quantity: %w", text, err)
		}
		power = [2]int64{10, exponent}
	}
	return number.Mul(number, raised(power[0], power[1])), nil
}

// raised returns base to the power of an exponent, which may be negative.
func raised(base, exponent int64) *big.Rat {
	size := exponent
	if size < 0 {
		size = -size
	}
	whole := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(size), nil))
	if exponent < 0 {
		return whole.Inv(whole)
	}
	return whole
}

// amount returns the double that is nearest to a quantity.
func amount(q *big.Rat) (float64, error) {
	v, _ := q.Float64()
	if !cluster.InRange(v) || v == 0 && q.Sign() != 0 {
		return 0, fmt.Errorf("%v is beyond 0 or %g to %g", v, cluster.LeastNumber, cluster.MostNumber)
	}
	return v, nil
}

// memoryUnits are the bytes in a unit of memory.
var memoryUnits = map[string]*big.Rat{"GiB": raised(2, 30), "GB": raised(10, 9)}

// MemoryUnits are the units in which memory of sources that count bytes can be written,
// the default first.
func MemoryUnits() []string { return []string{"GiB", "GB"} }
