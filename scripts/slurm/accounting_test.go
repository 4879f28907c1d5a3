//go:build slurm

package slurm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leontief-sim/leontief/traces"
)

// The accounting of the cluster: by slurmdbd, which is reached with munge's socket.
const accounting = `AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=%d
AccountingStoragePass=ROOT/munge/socket
AccountingStorageTRES=gres/gpu
GresTypes=gpu`

const dbdConf = `AuthType=auth/munge
AuthInfo=socket=%[1]s/munge/socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=%[2]d
SlurmUser=%[3]s
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=%[3]s
StorageLoc=accounting
PidFile=%[1]s/slurmdbd.pid
LogFile=%[1]s/log/slurmdbd
CommunicationParameters=NoInAddrAny
`

// startAccounted starts a cluster of two nodes with an accounting database of its
// own: MariaDB in the cluster's folder, reached by a socket there alone.
func startAccounted(t *testing.T) *testCluster {
	t.Helper()
	for _, name := range []string{"mariadbd", "mariadb-install-db", "mariadb", "slurmdbd", "sacct", "sacctmgr"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no accounting database of Slurm here: %v; on Debian or Ubuntu: apt-get install slurmdbd mariadb-server", err)
		}
	}
	port := freePorts(t, 4) + 3
	c := newCluster(t, 2, setting{accounting: fmt.Sprintf(accounting, port), node: "CPUs=4 RealMemory=8000 Gres=gpu:2"})
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	c.write("gpu0", "", 0o644)
	c.write("gpu1", "", 0o644)
	c.write("gres.conf", "Name=gpu File="+c.path("gpu[0-1]")+"\n", 0o644)
	c.write("slurmdbd.conf", fmt.Sprintf(dbdConf, c.root, port, me.Username), 0o600)
	c.run("mariadb-install-db", "--no-defaults", "--user="+me.Username, "--datadir="+c.path("db"), "--auth-root-authentication-method=normal", "--skip-test-db")
	socket := c.path("db.sock")
	database := exec.Command("mariadbd", "--no-defaults", "--user="+me.Username, "--datadir="+c.path("db"), "--socket="+socket, "--skip-networking",
		"--pid-file="+c.path("mariadbd.pid"), "--log-error="+c.path("log/mariadbd"), "--innodb-buffer-pool-size=64M")
	if err := database.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = database.Wait() }() // ended by its pid file
	answers := func() bool {
		return exec.Command("mariadb", "--no-defaults", "-u", "root", "-S", socket, "-e", "SELECT 1").Run() == nil
	}
	for end := time.Now().Add(time.Minute); !answers(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the database does not answer")
		}
	}
	if me.Username != "root" {
		name := "'" + me.Username + "'@'localhost'"
		c.run("mariadb", "--no-defaults", "-u", "root", "-S", socket, "-e", "CREATE USER "+name+"; GRANT ALL ON *.* TO "+name)
	}
	t.Setenv("MYSQL_UNIX_PORT", socket) // how slurmdbd finds it
	c.run("slurmdbd")
	c.untilRuns("sacctmgr", "-i", "add", "cluster", "test")
	c.run("sacctmgr", "-i", "add", "account", "physics", "Description=p", "Organization=o")
	c.run("sacctmgr", "-i", "add", "user", me.Username, "DefaultAccount=physics")
	c.start()
	return c
}

// untilRuns runs a program until it succeeds.
func (c *testCluster) untilRuns(name string, args ...string) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(500 * time.Millisecond) {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "SLURM_CONF="+c.conf)
		output, err := cmd.CombinedOutput()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("%s %q: %v\n%s", name, args, err, output)
		}
	}
}

// submit submits a job and returns its number.
func (c *testCluster) submit(args ...string) string {
	c.t.Helper()
	return strings.TrimSpace(c.run("sbatch", append([]string{"--parsable", "--output=/dev/null"}, args...)...))
}

// account returns what sacct writes with the options that docs/traces.md shows.
func (c *testCluster) account(more ...string) string {
	args := []string{"--allusers", "--parsable2", "--format",
		"JobID,User,Account,QOS,Partition,Priority,Submit,Start,End,ElapsedRaw,Elapsed,State,NNodes,ReqTRES,AllocTRES"}
	return c.run("sacct", append(args, more...)...)
}

// The jobs of a real accounting database are imported as they were submitted.
func TestAccountingIsImported(t *testing.T) {
	c := startAccounted(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	wide := c.submit("-n", "3", "--mem-per-cpu=200M", "--wrap", "sleep 2")
	gpus := c.submit("-N", "2", "--ntasks-per-node=2", "--mem=1G", "--gres=gpu:1", "--wrap", "sleep 3")
	array := c.submit("--array=1-4%2", "--mem=500M", "--wrap", "sleep 2; test $SLURM_ARRAY_TASK_ID != 2")
	spread := c.submit("-n", "6", "--mem-per-cpu=512M", "--wrap", "sleep 2")
	c.write("het.sh", "#!/bin/sh\n#SBATCH -n 1 --mem=100M\n#SBATCH hetjob\n#SBATCH -n 2 --mem=200M\nsrun sleep 2\n", 0o755)
	het := c.submit(c.path("het.sh"))
	alone := c.submit("-c", "2", "--mem=300M", "--exclusive", "--wrap", "sleep 2")
	never := c.submit("-N", "2", "--exclusive", "--mem=100M", "--wrap", "sleep 1") // waits for all before it
	c.run("scancel", never)
	c.until(3*time.Minute, "all jobs are done", func() bool { return strings.TrimSpace(c.run("squeue", "-h")) == "" })
	running := c.submit("--mem=100M", "--wrap", "sleep 1000")
	c.until(time.Minute, "one runs", func() bool { return strings.Contains(c.run("squeue", "-h", "-o", "%T"), "RUNNING") })
	time.Sleep(3 * time.Second)

	one := func(id string, tasks int64, cpu, mem, gpu float64) traces.Job {
		return traces.Job{ID: id, User: me.Username, Tasks: tasks, CPU: cpu, Mem: mem, GPU: gpu, Censored: id == running}
	}
	want := map[string]traces.Job{}
	for _, j := range []traces.Job{
		one(wide, 1, 3, 600./1024, 0), one(gpus, 2, 2, 1, 1), one(spread, 2, 3, 1.5, 0), one(alone, 1, 2, 300./1024, 0), one(running, 1, 1, 100./1024, 0),
		one(array+"_1", 1, 1, 500./1024, 0), one(array+"_2", 1, 1, 500./1024, 0), one(array+"_3", 1, 1, 500./1024, 0), one(array+"_4", 1, 1, 500./1024, 0),
		one(het+"+0", 1, 1, 100./1024, 0), one(het+"+1", 1, 2, 200./1024, 0),
	} {
		want[j.ID] = j
	}
	dir := t.TempDir()
	program := build(t, dir)
	t.Setenv("TZ", "UTC")
	checkImport(t, c, program, c.account(), want, "a step (as 123.batch)")
	checkImport(t, c, program, c.account("--allocations", "--noconvert"), want, "never started: state CANCELLED")
	t.Setenv("SLURM_TIME_FORMAT", "%s")
	checkImport(t, c, program, c.account("--allocations"), want, "runs on: its duration is that so far (censored)")
	whole := want[alone]
	whole.CPU, whole.GPU = 4, 2 // the whole node
	want[alone] = whole
	checkImport(t, c, program, c.account("--allocations"), want, "kept", "--resources", "allocated")
}

// checkImport imports an output of sacct and compares the jobs with those wanted, and
// their times with what sacct says of them in seconds since 1970.
func checkImport(t *testing.T, c *testCluster, program, text string, want map[string]traces.Job, says string, flags ...string) {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "sacct.txt"), filepath.Join(dir, "jobs.parquet")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	report := c.run(program, append([]string{"traces", "import", "slurm", file, "--out", out}, flags...)...)
	jobs, _, err := traces.ReadJobs(out)
	if err != nil || !strings.Contains(report, says) {
		t.Fatalf("%v, report:\n%s\nof\n%s", err, report, text)
	}
	got := map[string]traces.Job{}
	for _, j := range jobs {
		got[j.ID] = j
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(traces.Job{}, "SubmitUS", "DurationUS", "Priority")); d != "" {
		t.Errorf("%s\nof\n%s", d, text)
	}
	times, err := c.seconds()
	if err != nil {
		t.Fatal(err)
	}
	for id, j := range got {
		if at := times[id]; j.SubmitUS != (at[0]-times[jobs[0].ID][0])*1e6 || !j.Censored && j.DurationUS != (at[2]-at[1])*1e6 || j.DurationUS < 1e6 || j.Priority == 0 {
			t.Errorf("%+v, of %v", j, at)
		}
	}
}

// seconds returns submission, start and end of jobs in seconds since 1970.
func (c *testCluster) seconds() (map[string][3]int64, error) {
	all := map[string][3]int64{}
	var problems []error
	for _, line := range strings.Fields(c.run("env", "SLURM_TIME_FORMAT=%s", "sacct", "--allusers", "--allocations", "--parsable2", "--noheader", "--format", "JobID,Submit,Start,End")) {
		f := strings.Split(line, "|")
		var at [3]int64
		for i := range at {
			var err error
			if at[i], err = strconv.ParseInt(f[i+1], 10, 64); err != nil && f[i+1] != "Unknown" && f[i+1] != "None" {
				problems = append(problems, err)
			}
		}
		all[f[0]] = at
	}
	return all, errors.Join(problems...)
}
