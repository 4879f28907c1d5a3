// Package google1 imports the first Google cluster trace (version 1 of 2010,
// google-cluster-data-1.csv): one file, seven hours of one cell.
//
// # The file
//
// Columns separated by blanks, first a line of their names: Time (s), ParentID
// (the job; the documentation calls it JobID), TaskID, JobType (0 … 3),
// NrmlTaskCores, NrmlTaskMem. A row says what one task used on average in a
// period of five minutes. There are no submissions, requests, ends or
// machines, and usage is normalised by an unknown linear transformation.
//
// # What becomes a job
//
//   - SubmitUS: the time of the first period in which one of its tasks ran.
//   - Tasks: the number of its distinct tasks with usable rows.
//   - CPU, Mem: the medians over these tasks of what each used on average over
//     its periods (of an even number of tasks the mean of the middle two).
//   - DurationUS: the mean over these tasks of the time from the beginning of
//     the first period to the end of the last one in which it ran: a multiple
//     of five minutes a task.
//   - Censored: one of its tasks ran in the last period of the file.
//
// # What is left out
//
// Tasks whose average use of cpu or memory is zero, unless [Options].KeepZero
// says otherwise; those that used neither always. Jobs with a task in the first period of
// the file, which began before it at an unknown time, unless
// [Options].KeepFirst is set. The report counts each by its reason. A row that
// is not in the format is an error with file, row and column. A file that ends
// in the middle is one as well.
//
// # Cost
//
// One pass; in memory are about 100 bytes a task.
//
// # References
//
// J. L. Hellerstein, Google cluster data, Google research blog, January 2010;
// TraceVersion1 in github.com/google/cluster-data.
package google1
