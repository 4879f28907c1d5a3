// Package slurm imports the jobs of Slurm's accounting as sacct -P writes them.
//
// # The file
//
// The output of
//
//	TZ=UTC sacct --allusers --allocations --parsable2 --starttime … --endtime … \
//	  --format JobID,User,Account,QOS,Partition,Priority,Submit,Start,End,ElapsedRaw,State,NNodes,ReqTRES,AllocTRES
//
// a line of the columns' names, then one a job, with | between columns and nothing
// quoted. Columns may stand in any order, in any case, and beside others. Needed are
// JobID, Submit, one of ElapsedRaw, Elapsed, and Start with End, and what the job had:
// ReqTRES, or of old versions ReqCPUS and ReqMem; with Resources "allocated"
// AllocTRES, or AllocCPUS (NCPUS) and ReqMem.
//
// # What becomes a job
//
// A row becomes a [traces.Job] with its JobID; an element of an array (123_4) and a
// component of a heterogeneous job (123+1) are jobs of their own, which is noted of the
// latter since they start together.
//
//   - SubmitUS: Submit, since the first submission of the file; the metadata have that.
//     sacct writes times of its own time zone without saying which, so Zone
//     must ([Options.Zone]); with SLURM_TIME_FORMAT=%s they are seconds since 1970.
//   - DurationUS: ElapsedRaw, else Elapsed, else End − Start. A job that runs on has
//     that so far, and is censored. Slurm does not count suspensions as elapsed.
//   - CPU, Mem, GPU: of the whole job, in processors as Slurm counts them (cores or
//     threads), GiB and GPUs. Slurm's K, M, G, T and P are powers of 1,024; a number
//     without one is MiB. Where memory is not allocated (SelectTypeParameters without
//     Memory), that requested counts, which is noted. A ReqMem that ends in c is per processor, one in n per node.
//     GPUs are gres/gpu, else the sum of gres/gpu:TYPE.
//   - Tasks: a task for each node, each with an equal part of the job ([Options.Task];
//     "job": one task of all; "cpu": one a processor). The nodes are those
//     allocated, where they are known. Slurm starts a job's nodes together; tasks
//     here are independent of each other.
//   - User: its user, account, group, qos or partition ([Options.Tenant]).
//   - Priority: the column Priority, which Slurm computed last.
//
// Jobs of every state count as they are: a failed one held its resources until it ended.
//
// Left out and counted by reason are steps (123.batch, 123.0), whose jobs have rows of
// their own; jobs that never started, by state; those without a submission, a
// duration, processors or, if it counts, memory; GPUs that only ReqGRES tells of; and a
// JobID a second time (requeued jobs, which sacct --duplicates lists). A row with
// another number of columns than the header (a name with |: leave JobName out), or a
// value that can not be read, is an error with file, row and column.
//
// Not used are placement (NodeList, Constraints: noted), limits and usage.
//
// # Cost
//
// A row at a time; in memory are the jobs: of 500,000 the process peaked at 339 MB, in 3 s
// of processor time.
//
// Reference: sacct(1), Slurm 22.05, and the output of a real one in scripts/slurm.
package slurm
