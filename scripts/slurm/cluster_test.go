//go:build slurm

package slurm

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// testCluster is a Slurm cluster of several nodes on this machine, reachable by
// the loop-back address alone, with all its state below one folder. It needs no
// rights, no systemd and no cgroups.
type testCluster struct {
	t     *testing.T
	root  string
	conf  string
	nodes int
}

// setting is what differs between the clusters of the tests.
type setting struct {
	accounting string // the lines of where jobs are accounted for
	node       string // what a node has
}

// The settings, and why: all daemons run as this user; no accounting and no
// cgroups; nothing listens beyond the loop-back; a node that is gone is noticed
// soon, and what ran there starts again soon (cred_expire); nodes may claim more
// processors than there are.
const conf = `ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=%[2]d
SlurmUser=%[3]s
SlurmdUser=%[3]s
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%[1]s/munge/socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=%[1]s/state
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmctldLogFile=%[1]s/log/slurmctld
SlurmdPidFile=%[1]s/slurmd-%%n.pid
SlurmdLogFile=%[1]s/log/slurmd-%%n
SlurmdSpoolDir=%[1]s/spool-%%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
%[4]s
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
ReturnToService=2
MaxArraySize=1001
InactiveLimit=0
SlurmdTimeout=10
KillWait=5
`

// startCluster starts the daemons, and stops them when the test ends.
func startCluster(t *testing.T, nodes int) *testCluster {
	t.Helper()
	c := newCluster(t, nodes, setting{accounting: "AccountingStorageType=accounting_storage/none", node: "CPUs=2"})
	c.start()
	return c
}

// newCluster makes the folder of a cluster and starts the daemon that
// authenticates. All daemons are stopped when the test ends. ROOT in a setting is the
// folder.
func newCluster(t *testing.T, nodes int, s setting) *testCluster {
	t.Helper()
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("no Slurm here: %v; on Debian or Ubuntu: apt-get install slurm-wlm munge", err)
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	// Short, since sockets have short names, and not below a folder of the test,
	// which is removed while daemons still write their logs.
	root, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	c := &testCluster{t, root, filepath.Join(root, "slurm.conf"), nodes}
	port := freePorts(t, nodes+1)
	text := fmt.Sprintf(conf, root, port, me.Username, strings.ReplaceAll(s.accounting, "ROOT", root))
	folders := []string{"munge", "state", "log"}
	for i := 1; i <= nodes; i++ {
		text += fmt.Sprintf("NodeName=n%d NodeHostname=localhost NodeAddr=127.0.0.1 Port=%d %s State=UNKNOWN\n", i, port+i, s.node)
		folders = append(folders, fmt.Sprintf("spool-n%d", i))
	}
	text += fmt.Sprintf("PartitionName=main Nodes=n[1-%d] Default=YES MaxTime=INFINITE State=UP\n", nodes)
	for _, name := range folders {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	c.write("slurm.conf", text, 0o644)
	c.write("munge/key", strings.Repeat("a key for this test alone ", 8), 0o600)
	t.Cleanup(c.stop)
	c.run("munged", "--force", "--socket="+c.path("munge/socket"), "--key-file="+c.path("munge/key"), "--pid-file="+c.path("munged.pid"),
		"--log-file="+c.path("log/munged"), "--seed-file="+c.path("munge/seed"))
	return c
}

// start starts the controller and the nodes.
func (c *testCluster) start() {
	c.t.Helper()
	c.run("slurmctld", "-c")
	for i := 1; i <= c.nodes; i++ {
		c.run("slurmd", "-N", fmt.Sprintf("n%d", i))
	}
	c.until(60*time.Second, "all nodes are idle", func() bool {
		states := strings.Fields(c.run("sinfo", "-h", "-N", "-o", "%T"))
		return len(states) == c.nodes && strings.Count(strings.Join(states, " "), "idle") == c.nodes
	})
}

// write writes a file of the cluster's folder.
func (c *testCluster) write(name, text string, mode os.FileMode) {
	c.t.Helper()
	if err := os.WriteFile(c.path(name), []byte(text), mode); err != nil {
		c.t.Fatal(err)
	}
}

func (c *testCluster) path(name string) string { return filepath.Join(c.root, name) }

// freePorts returns the first of so many ports in a row that were free.
func freePorts(t *testing.T, count int) int {
	t.Helper()
	for first := 26817; first < 60000; first += 100 {
		free := true
		for port := first; port < first+count; port++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				free = false
				break
			}
			l.Close()
		}
		if free {
			return first
		}
	}
	t.Fatal("no free ports")
	return 0
}

// run runs a program for the cluster and returns its output.
func (c *testCluster) run(name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "SLURM_CONF="+c.conf)
	output, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %q: %v\n%s", name, args, err, output)
	}
	return string(output)
}

// until waits for something.
func (c *testCluster) until(limit time.Duration, what string, done func() bool) {
	c.t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if done() {
			return
		}
	}
	c.t.Fatalf("after %v it is not so that %s\n%s", limit, what, c.run("squeue", "-a"))
}

// pidIn reads a pid file.
func (c *testCluster) pidIn(name string) (int, bool) {
	data, err := os.ReadFile(c.path(name))
	if err != nil {
		return 0, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	return pid, err == nil && pid > 1
}

// processesOf returns the processes of jobs on a node: those that have its name
// and this cluster in their environment, and the daemons that are their parents.
func (c *testCluster) processesOf(node string) []int {
	var pids []int
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range entries {
		environ, err := os.ReadFile(path)
		env := "\x00" + string(environ)
		if err != nil || !strings.Contains(env, "\x00SLURM_CONF="+c.conf+"\x00") || !strings.Contains(env, "\x00SLURMD_NODENAME="+node+"\x00") {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		pids = append(pids, pid)
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
		if strings.HasPrefix(string(name), "slurmstepd") {
			pids = append(pids, parent)
		}
	}
	return pids
}

// lose ends a node as if its plug had been pulled: its daemon and all that runs
// on it.
func (c *testCluster) lose(node string) {
	c.t.Helper()
	pid, ok := c.pidIn("slurmd-" + node + ".pid")
	if !ok {
		c.t.Fatalf("%s has no daemon", node)
	}
	for _, p := range append([]int{pid}, c.processesOf(node)...) {
		_ = syscall.Kill(p, syscall.SIGKILL)
	}
}

// stop ends the daemons, each by its own pid file.
func (c *testCluster) stop() {
	if c.t.Failed() {
		for _, name := range []string{"slurmctld", "slurmd-n1", "slurmd-n2"} {
			log, _ := os.ReadFile(c.path("log/" + name))
			c.t.Logf("%s:\n%s", name, log[max(0, len(log)-3000):])
		}
	}
	names := []string{"slurmctld.pid", "slurmdbd.pid", "mariadbd.pid", "munged.pid"}
	for i := 1; i <= c.nodes; i++ {
		for _, pid := range c.processesOf(fmt.Sprintf("n%d", i)) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		names = append([]string{fmt.Sprintf("slurmd-n%d.pid", i)}, names...)
	}
	for _, name := range names {
		if pid, ok := c.pidIn(name); ok && syscall.Kill(pid, syscall.SIGTERM) == nil {
			for range 100 {
				if syscall.Kill(pid, 0) != nil {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
	}
	_ = os.RemoveAll(c.root)
}
