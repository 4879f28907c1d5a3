// Package alibaba imports the traces of Alibaba's GPU clusters from the
// official files: PAI 2020 (cluster-trace-gpu-v2020, [ImportPAI]) and GPU 2023
// (the openb lists, [ImportGPU2023]); and makes the hybrid workload
// ([Hybrid]), which has real submissions and imputed requests.
//
// # PAI 2020: what becomes a job
//
// A submission (a job_name of pai_job_table) has one or more task rows in
// pai_task_table (roles: worker, ps, evaluator), each of inst_num equal
// instances. The roles of a submission request different amounts, and the
// tasks of a [traces.Job] are identical; so each task row becomes a job of its
// own, with the id job_name/task_name:
//
//   - SubmitUS: start_time of the submission in pai_job_table, on the clock of
//     the trace, whose zero is about six days before the first submission.
//   - Tasks: inst_num.
//   - CPU, Mem, GPU: plan_cpu/100 cores, plan_mem GB, plan_gpu/100 GPUs, each
//     per instance. An empty plan_gpu is a task without a GPU.
//   - DurationUS: when at least inst_num rows of the task are in
//     pai_instance_table and all of them are Terminated, the mean over them of
//     end_time − start_time; else end_time − start_time of the task row; for a
//     Running task without an end, the time from its start to the latest time
//     in the tables, with Censored set. Failed tasks count as they are: they
//     held their resources until they failed.
//   - User: the (hashed) user of the submission. The trace has no priorities; the group
//     of pai_group_tag_table is one of instances with similar inputs, not of people.
//   - Constraints: where pai_group_tag_table has a gpu_type_spec, the type of GPU that
//     the user asked for, a task with a GPU runs on machines of that gpu_type only, an
//     attribute of the machines of pai_machine_spec. A task without a GPU (ps, say) runs
//     anywhere. (gpu_type of pai_task_table is the type that was assigned.)
//
// Left out and counted by reason are task rows of no submission, repeated
// ones, Waiting ones, those without instances or with an empty or zero
// plan_cpu or plan_mem, those without a start or an end, those that end
// before they start or at once; instance rows of no task or without sensible
// times; submissions without a time or without a usable task row. An empty time
// and 0 both stand for a missing time. A row that is not in the format (a
// wrong number of columns, a text where a number belongs, a negative number)
// is an error.
//
// # GPU 2023: what becomes a job
//
// A pod becomes a job of one task: SubmitUS is creation_time, DurationUS
// deletion_time − scheduled_time, CPU cpu_milli/1000 cores, Mem memory_mib/1024
// GiB, GPU num_gpu·gpu_milli/1000. With a gpu_spec, types with | between them, it runs on
// nodes of such a model only, which is an attribute of the nodes. A pod in phase Running that was deleted at
// the last instant of the list is censored: the list was made then. Pods that
// were never scheduled and those with a zero request of cpu or memory are left
// out and counted.
//
// # Files
//
// A table NAME is NAME.csv, NAME.csv.gz or, as published, NAME.tar.gz. Its
// columns are those of its first row, if that is a header, else those of
// NAME.header beside it, else the official ones; they are found by name, and a
// missing one is an error.
//
// # Cost
//
// Each table is read once, row by row. In memory are the wanted submissions
// and their task rows, about 600 bytes a task row with its submission;
// instances leave only sums. Tables of the trace's size (1.06 million
// submissions, 1.27 million task rows, 5.4 million instances, 1.8 GB of text)
// took 9 s of one core; see docs/alibaba.md for the memory.
//
// # References
//
// Q. Weng et al., MLaaS in the Wild: Workload Analysis and Scheduling in
// Large-Scale Heterogeneous GPU Clusters, NSDI 2022. Q. Weng et al., Beware of
// Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient
// Descent, USENIX ATC 2023.
package alibaba
