// Package spec turns the description of an experiment into scenarios.
//
// A spec names what is to be run. Its blocks expand into scenarios, plain values
// of parameters with a seed and a number of instances. What a parameter means and
// how a scenario is run belongs to the registered [Kind] of its experiment.
package spec
