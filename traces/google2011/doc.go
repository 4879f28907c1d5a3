// Package google2011 imports the Google cluster-usage traces of 2011
// (clusterdata-2011-2) from the official files, any subset of their parts.
//
// # What becomes a job
//
// A job of the trace becomes one [traces.Job]:
//
//   - SubmitUS: the time of its first SUBMIT event in job_events. Time 0 marks
//     jobs that were submitted before the trace began; 600 s is its start.
//   - Tasks: the number of distinct task indices with a usable SUBMIT row in
//     task_events.
//   - CPU, Mem: the medians of what these tasks request in their first usable
//     SUBMIT row (of an even number of tasks the mean of the middle two), as
//     fractions of the largest machine. Disk space is ignored.
//   - DurationUS: when all these tasks finished inside the parts at hand, the
//     mean over them of the time from their first SCHEDULE to their first
//     terminal event; else the time from the job's first SCHEDULE to its first
//     terminal event in job_events; for a job without an end in the trace, the
//     time from its SCHEDULE to the end of the trace, with Censored set.
//   - User: the (hashed) user of that SUBMIT event.
//   - Priority: the highest of its tasks' first usable SUBMIT rows, from 0 to 11. The
//     scheduling class, which says how much a job suffers from waiting, is no order.
//
// FAIL, FINISH, KILL and LOST are terminal. EVICT is terminal for a job after
// which nothing follows; an evicted task that is submitted again goes on, and
// its time includes the waiting in between. A task has finished when it has
// had a terminal event after its SCHEDULE and was not submitted again. UPDATE
// events change nothing.
//
// # Placement constraints
//
// A job's constraints are those that task_constraints lists for its tasks, each
// at the first time at which the table lists any for the task; later lists of
// the same task are left out. All its tasks must have the same: a job is one
// user with one set of machines, so one whose tasks differ is left out. A
// machine has the attributes of machine_attributes at the time that the options
// name. Which machines satisfy which constraints, and what holds for an absent
// attribute, says [constraints.Constraint]. The operator is the fourth column of
// task_constraints by the trace's schema.csv and the last by the text of its
// format: both are read, and the report says which was found. A table that is
// not at hand is noted, and so is the number of parts of task_constraints: a job
// whose rows are in other parts passes for one without constraints.
//
// That a task may ask for machines other than those of its job's other tasks
// (the last column of task_events) is not modelled.
//
// # What is left out
//
// Rows with missing info (field 2), and SUBMIT rows whose cpu or memory
// request is empty or zero, are left out; so are the events of tasks that
// have no usable SUBMIT row, and jobs for which submission, tasks, requests or
// duration cannot be had by the rules above. The report counts each by its
// reason. With [KeepZero], rows in which one of the two requests is zero are
// usable, and the report notes the jobs that come out with a zero request. A row that is not in the format (a wrong number of columns, a text
// where a number belongs, a negative time or request) is an error.
//
// # Cost
//
// job_events is read twice (which jobs are wanted; what became of them),
// the other tables once. In memory are 16 bytes a submission in the window, about
// 100 bytes a wanted job, the tasks of those wanted jobs that had not ended when
// the last part was finished, and a time and a number for each constrained task.
// With all 500 parts of job_events and two of task_events (and no constraints)
// the process peaked at 53 MB for the first 1,000 submissions and at 161 MB for
// all 672,073, in 3–4 s on one core.
//
// # References
//
// C. Reiss, J. Wilkes, J. Hellerstein, Google cluster-usage traces: format +
// schema, 2011.
package google2011
