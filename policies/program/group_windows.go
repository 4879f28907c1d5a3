package program

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ending is a job object that this process is in, and all that it starts are then. Windows
// ends what is in it when its last handle is closed: with this process, however that ends.
// Where there is none, programs read the end of their input.
var ending = sync.OnceValues(func() (windows.Handle, error) {
	job, err := newJob()
	if err == nil {
		err = windows.AssignProcessToJobObject(job, windows.CurrentProcess())
	}
	return job, err
})

// newJob makes a job object that ends with its last handle.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
	}
	return job, err
}

// jobs are the job objects of the programs that run, by the number of the process.
var jobs sync.Map

// apart gives a process no part in an interrupt from the console: what is under way is
// finished then.
func apart(cmd *exec.Cmd) {
	_, _ = ending()
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// watch puts a process into a job object of its own. What it has started before that, in
// its first moments, ends with this process and not with it.
func watch(pid int) {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return // it has ended
	}
	defer windows.CloseHandle(process)
	job, err := newJob()
	if err != nil {
		return
	}
	if windows.AssignProcessToJobObject(job, process) != nil {
		_ = windows.CloseHandle(job)
		return
	}
	jobs.Store(pid, job)
}

// killGroup kills a process and all that is in its job object.
func killGroup(cmd *exec.Cmd) {
	if job, ok := jobs.Load(cmd.Process.Pid); ok {
		_ = windows.TerminateJobObject(job.(windows.Handle), 1)
	}
	_ = cmd.Process.Kill()
}

// unwatch closes the job object of a process that has ended.
func unwatch(pid int) {
	if job, ok := jobs.LoadAndDelete(pid); ok {
		_ = windows.CloseHandle(job.(windows.Handle))
	}
}
