// Package machines reads clusters as they are: lists of machines that a cluster
// manager or a trace gives out become the environment that jobs are replayed on.
//
// [Read] tells the sources apart by their content:
//
//   - the environment file of leontief, without users;
//   - machines.parquet, as the import of a trace writes it ([traces.Machine]);
//   - the JSON of kubectl get nodes -o json;
//   - the JSON of scontrol show nodes --json (Slurm 23.02 or later), of sinfo --json of
//     Slurm 21.08 and 22.05, which has the same nodes, and the text of scontrol show nodes.
//
// # What a machine has
//
// Kubernetes: what is allocatable of cpu, in cores; of memory; and the sum of the
// extended resources whose name ends in /gpu. Slurm: the processors that jobs can use
// (effective_cpus, or cpus where that is not stated), RealMemory less what is kept for
// the system, in MiB, and the gpu of Gres. Both count memory in whole bytes; it is
// written in GiB or, if that is asked for or jobs count so, in GB: bytes/2³⁰ or
// bytes/10⁹, rounded once. Machines of a trace have the units of their file. What no job
// of a trace requests (pods, ephemeral storage, other Gres) is counted in the report.
//
// # Which machines
//
// Nodes that take no work are left out and counted by reason: cordoned ones and those
// that are not ready, of Kubernetes; of Slurm those that are down, drained, failing, not
// responding, reserved, in maintenance, unknown or planned for the future.
//
// # Classes
//
// Equal machines are one class of servers ([Inventory.Classes]): those with the same
// capacities, the same taints and, of the attributes that constraints of the jobs name,
// values that none of these constraints tells apart. Classes are in the order of their
// capacities and named after them: c96-m384-g8 has 96 of cpu, 384 of memory and 8 of
// gpu. The same cluster from each source is the same environment, byte for byte.
//
// Attributes are labels (Kubernetes), features and partitions with the value 1 (Slurm; a
// partition is called partition/NAME), and what a trace says of its machines.
//
// # References
//
// kubernetes.io: Node, Quantity, Taints and Tolerations. slurm.schedmd.com: scontrol, and
// the REST API's node.
package machines
