// Package sweeps registers the experiments that are of no paper: any workload
// on any cluster under any rule, in the fluid model ([Fluid]), with whole tasks
// ([Whole]), and with all jobs there at once ([Present]); and random environments, divided
// once ([Random]). Specs name them, and every parameter of theirs can be an axis.
//
// An instance draws n jobs of the workload. What is drawn depends on the seed,
// the parameter draws, the workload, n and the number of the instance, and on
// nothing else: all rules and all clusters face the same jobs.
package sweeps
