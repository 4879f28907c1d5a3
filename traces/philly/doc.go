// Package philly imports the job log of Microsoft's Philly traces: deep learning on
// GPU clusters, August to December 2017.
//
// # The files
//
// cluster_job_log is a JSON list of jobs, each with status, vc (its virtual cluster),
// jobid, user, submitted_time and attempts; an attempt has start_time, end_time and
// detail, a list of servers (ip) with the GPUs that it had there. Times are local, without
// a zone. cluster_machine_list, where it stands beside the log, has the machines: id,
// number of GPUs, memory of one.
//
// # What becomes a job
//
//   - SubmitUS: submitted_time, since the first submission of the log; the metadata have
//     that.
//   - DurationUS: the sum of its attempts' times, from start to end: a job that failed
//     and was tried again held its GPUs each time. What lies between attempts is
//     waiting. A last attempt without an end ran on when the log was made: it counts to
//     the latest time in the log, and the job is censored.
//   - Tasks, GPU: the GPUs of the last attempt that has any: so many tasks of one GPU, or
//     an equal part for each of its servers, or one task of all ([Options.Task]). The
//     GPUs of an attempt run together; tasks here are independent of each other.
//   - User: its user, or its virtual cluster ([Options.Tenant]).
//
// The log has neither processors nor memory, nor what was requested: GPUs alone count.
//
// Left out and counted by reason are jobs without an attempt, without a GPU in any,
// without a submission or a time that is above 0, and a job's id a second time. Attempts
// without a start, and those before the last one without an end, are errors of the
// logging by its authors: they are left out, counted, and the job is kept if others are
// sound. A job that is not in the format is an error with its number in the list.
//
// # Cost
//
// A job of the log at a time; in memory are the jobs.
//
// Reference: M. Jeon et al., Analysis of large-scale multi-tenant GPU clusters for DNN
// training workloads, USENIX ATC 2019.
package philly
