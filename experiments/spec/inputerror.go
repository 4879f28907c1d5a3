package spec

// InputError says that what a run was given can not be used: a file that is
// damaged, or a workload that is too small for what is asked. It is no failure
// of ours.
type InputError struct{ error }

// Unwrap returns the reason.
func (e InputError) Unwrap() error { return e.error }

// OfInput marks an error as an [InputError]; nil stays nil.
func OfInput(err error) error {
	if err == nil {
		return nil
	}
	return InputError{err}
}
