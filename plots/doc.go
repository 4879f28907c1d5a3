// Package plots makes figures from result tables. It never runs a simulation, so
// that every figure can be made again from the files of a run: a [Figure] lays
// panels and one legend out on a page.
//
// A [Panel] is one pair of axes: [Points], [Boxes], [Lines] or [Scaled]. What draws
// one figure of one paper makes panels and stands with the paper; what draws any table
// is a [Form]. [Against], the command plot, chooses the form that is usual for what the
// column of the horizontal axis holds, or takes the one asked for.
//
// A new form is one file in this folder, and its test: an init function that calls
// [RegisterForm] with the form's name, the kinds of column that its horizontal axis
// takes, and a function from the rows to a panel. The example of RegisterForm is one.
// A form that needs axes of its own is a type with the two methods of Panel.
//
// Package plots knows no policy and no paper: how policies look is handed in as
// [Styles].
//
// All that is written is the same bytes whenever its input is the same: no date, no
// map order and no random number reaches a file.
package plots
