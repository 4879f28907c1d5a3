// Package rows reads the text tables of published traces: a file, packed or
// not, row by row, with errors that name file, row and column.
//
// A reader of a trace makes a [Row] for a file, lets [Row.Read] open and unpack
// it, and takes rows from [Row.CSV], or by itself with [Row.Next]. Nothing is
// repaired: a field that is not what its reader asks for ends the reading.
package rows
