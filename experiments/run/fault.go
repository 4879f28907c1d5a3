package run

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// FaultError is a panic that was caught: a fault of leontief, whatever it was given.
type FaultError struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

// Error is one line; the stack is apart.
func (e *FaultError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Guard calls f, and returns a panic in it as a [FaultError]. Every goroutine that
// leontief starts needs it: a panic that is not caught ends the process with status
// 2, like bad input, in the midst of writing.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &FaultError{p, debug.Stack()}
		}
	}()
	return f()
}

// guarded is [Guard] for a function with a result.
func Guarded[R any](f func() (R, error)) (result R, err error) {
	err = Guard(func() (err error) {
		result, err = f()
		return err
	})
	return result, err
}

// Faults returns the panics that an error is made of.
func Faults(err error) []*FaultError {
	var all []*FaultError
	var fault *FaultError
	switch joined := err.(type) {
	case interface{ Unwrap() []error }:
		for _, one := range joined.Unwrap() {
			all = append(all, Faults(one)...)
		}
	default:
		if errors.As(err, &fault) {
			all = append(all, fault)
		}
	}
	return all
}
