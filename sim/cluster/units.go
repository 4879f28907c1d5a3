package cluster

import "strings"

// spellings are other names of the usual units, in lower case: people write
// "core" and "vCPUs". A name that is not here stands for itself, capitals
// included, since they tell units apart: GB from Gb, MHz from mHz.
var spellings = map[string]string{
	"core": "cores", "cores": "cores", "vcpu": "cores", "vcpus": "cores",
	"millicore": "millicores", "millicores": "millicores",
	"gpu": "GPUs", "gpus": "GPUs",
	"byte": "B", "bytes": "B",
	"fraction": FractionOfLargest, FractionOfLargest: FractionOfLargest,
	"unknown": "",
	// What Google's first trace says of its numbers: on which scale it does not.
	"normalised average use, not requests": "",
}

// FractionOfLargest is the unit of the Google traces: each resource is a part of
// what the largest machine has of it.
const FractionOfLargest = "fraction of the largest machine"

// CanonicalUnit returns the name by which units are compared: two units are the
// same if and only if theirs are. It is the text itself, with single blanks
// between its words, except that cores, millicores, GPUs, bytes and fractions of
// the largest machine have more than one spelling and may be written in capitals
// or not, and that KB may be kB. It is "" for a unit that is not known: an empty
// text, or the word unknown. Nothing else is known of units: GB (10⁹ bytes) and
// GiB (2³⁰) differ like cores and millicores.
func CanonicalUnit(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if name, known := spellings[strings.ToLower(text)]; known {
		return name
	}
	if text == "kB" {
		return "KB"
	}
	return text
}
