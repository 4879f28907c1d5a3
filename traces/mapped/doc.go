// Package mapped imports a table of any columns, CSV or Parquet, by a mapping
// that says what each column means. A row becomes a job; nothing is repaired,
// and what is left out is counted by reason.
//
// A mapping is YAML:
//
//	source: our cluster, October          # for the file's metadata
//	label: real                           # say so if it is; default unlabelled
//	columns:
//	  id:       {column: job}             # optional: else the number of the row
//	  submit:   {column: submitted, unit: rfc3339}
//	  end:      {column: finished, unit: rfc3339}
//	  start:    {column: started, unit: rfc3339}
//	  tasks:    {column: replicas}        # optional: else 1
//	  cpu:      {column: mcpu, unit: millicores}
//	  mem:      {column: mem_bytes, unit: B}
//	  gpu:      {value: "0"}              # the same in all rows
//	  constraints: {column: zone}         # optional, kept in the trace's words
//	  user:     {column: account}         # optional: user, group, account or queue, who is the tenant
//	  weight:   {column: shares}          # optional: else 1
//	  priority: {column: prio}            # optional: else 0; the larger, the more important
//	origin: first                         # times count from the first submission; or none
//	zero_requests: drop                   # or keep: rows that request no cpu or no memory
//	only: {column: state, is: [done, failed]}  # optional: rows that count
//	csv: {delimiter: ";", comment: "#"}   # optional
//
// An id, a user or the constraints can stand in several columns, whose texts a slash
// joins (columns: [job, task]). A request is that of one task, with total: true that of
// all tasks together. Texts that stand for a missing value in a column are
// given as missing: ["0", "-1"], beside the empty one. A CSV file that does not begin
// with a line of names has them in csv.names.
//
// Either duration is given, or end and (optionally) start: the duration of a
// task is then end − start, or end − submit.
//
// Units of time are us, ms, s, min, h, rfc3339 (2026-10-01T08:00:00Z) and datetime
// (2026-10-01 08:00:00, in UTC unless a zone as +02:00 or Z stands behind it); of cpu cores, millicores,
// percent (of a core) and fraction; of mem B, KB, MB, GB, TB, KiB, MiB, GiB, TiB,
// fraction and percent (of it); of gpu gpus, percent (of a GPU) and fraction. A fraction is of the
// largest machine, as in the Google traces. Amounts are written as cores, GB
// (10⁹ bytes), GPUs or fractions, and the file says which.
//
// A row is left out, and counted, where a value that is needed is missing (an
// empty field, a null), where it requests nothing (or, by default, no cpu or no
// memory), asks for no tasks, weighs nothing, lasts no microsecond, ends before it starts or is
// submitted before the clock's zero, and where its id has been seen before. A row
// without a user, a weight or a priority is a job that states none, and is noted. A
// value that can not be read is an error with file, row and column: a wrong
// mapping should not cost rows silently.
package mapped
