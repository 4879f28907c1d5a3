// Package swf imports logs in the Standard Workload Format, version 2.2 and
// before: those of the Parallel Workloads Archive, and of the simulators and
// schedulers that write it.
//
// # The file
//
// Lines of 18 numbers, -1 for what is not known, and comment lines that begin with
// a semicolon, of which the first ones are a header of "; Key: value". Times are
// seconds since the log's beginning (UnixStartTime of the header). The columns are 1
// job, 2 submission, 3 wait, 4 run time, 5 processors allocated, 6 average processor
// time used, 7 memory used, 8 processors requested, 9 time requested, 10 memory
// requested, 11 status, 12 user, 13 group, 14 executable, 15 queue, 16 partition,
// 17 preceding job, 18 think time. Memory is in KB of 1,024 bytes per processor.
//
// # What becomes a job
//
// A record with the number of a job becomes a [traces.Job] with that id:
//
//   - SubmitUS: the submission, on the clock of the log.
//   - Tasks, CPU: the processors requested, or those allocated ([Options.Processors]):
//     as many tasks of one processor, or one task of all ([Options.Task]). The log's
//     jobs are rigid: all their processors run together. Tasks here are
//     independent of each other, so with whole tasks and Task "processor" some of a
//     job may run before others; a single task is a gang, but fits only where one
//     machine has as many processors. In the fluid model both are the same job.
//   - DurationUS: the run time. It is that with the processors allocated; where
//     others were requested, that is noted.
//   - Mem: the memory requested, or that used ([Options.Memory]), in GiB per
//     processor. With "none" the jobs are of processors alone, and the trace has no
//     unit of memory. That is never done unasked.
//   - User: the number of its user, or of its group, executable, queue or partition
//     ([Options.Tenant]), as the log has it. The format has no weights and no
//     priorities.
//
// Not used are the wait (a simulation makes its own), the processor time, the time
// requested (an estimate), and the preceding job with the think time: a job is
// submitted when the log says, also where it waited for another; it is noted how
// many did.
//
// Failed and cancelled jobs (status 0, 5) count as they are: they held their
// processors until they ended. Records of status 2, 3 and 4 are bursts of a job
// that was suspended, whose own record stands beside them: they are left out.
//
// Left out and counted by reason are records without a submission, a run time,
// processors or, if it is asked for, memory, each not known (-1 or another negative
// number) or zero; and a job's number a second time. Records need not be in order of
// submission. More than 18 columns are noted, fewer are an error with file and row,
// as is a field that is no number.
//
// # Machines
//
// The header's MaxNodes and MaxProcs give as many machines with an equal part of the
// processors each, where MaxProcs is a multiple of MaxNodes. A header says nothing
// of the memory of a node, so there are machines for jobs of processors alone only.
//
// # Cost
//
// A record at a time; in memory are the jobs and the numbers of their records: of 500,000
// jobs the process peaked at 293 MB, in 2 s of processor time.
//
// Reference: Chapin, Cirne, Feitelson et al., Benchmarks and standards for the
// evaluation of parallel job schedulers, JSSPP 1999; the format's page at the
// Parallel Workloads Archive (version 2.2).
package swf
