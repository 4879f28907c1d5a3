package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leontief-sim/leontief/experiments/results/sealed"
)

// The annotations of flags that name what a command writes.
const (
	writesFile   = "writes a file"
	writesFolder = "writes into a folder"
)

// outputFile adds a flag that names a file to write, with one of the endings, and
// --force. Before the command works, [command.checkOutputs] refuses to write over
// something that is wanted. The default is what to holds.
func outputFile(cmd *cobra.Command, to *string, flag, usage string, endings ...string) {
	cmd.Flags().StringVar(to, flag, *to, usage)
	annotate(cmd, flag, writesFile)
	suggest(cmd, flag, files(endings...))
	if cmd.Flags().Lookup("force") == nil {
		cmd.Flags().Bool("force", false, "write also over a file that the command reads, that belongs to a result folder, or that leontief did not write")
	}
}

// outputFolder says that --out names a folder that the command writes into, and adds
// --force.
func outputFolder(cmd *cobra.Command, force *bool) {
	annotate(cmd, "out", writesFolder)
	cmd.Flags().BoolVar(force, "force", false, "write also over the results of another run, and over files that the command reads")
}

// annotate marks a flag. An unknown flag is a programming error.
func annotate(cmd *cobra.Command, flag, what string) {
	if err := cmd.Flags().SetAnnotation(flag, what, nil); err != nil {
		panic(err)
	}
}

// source is something that a command reads, and how it was named.
type source struct {
	name string
	info fs.FileInfo
}

// sources returns the files and folders that the arguments and flags of a command
// name, but for those that it writes. That a value only looks like a path does no
// harm: it is compared with the outputs alone.
func (c *command) sources(cmd *cobra.Command, args []string) []source {
	names := slices.Clone(args)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		_, file := f.Annotations[writesFile]
		if _, folder := f.Annotations[writesFolder]; file || folder {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			_, of, _ := strings.Cut(strings.TrimSuffix(value, "]"), "=") // name=FILE
			names = append(names, value, of)
		}
	})
	var all []source
	for _, name := range names {
		if info, err := os.Stat(name); name != "" && err == nil {
			all = append(all, source{name, info})
		}
	}
	if in, ok := c.In.(*os.File); ok && (slices.Contains(args, "-") || cmd.Flags().Changed("stream")) {
		if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
			all = append(all, source{"standard input", info})
		}
	}
	return all
}

// checkOutputs refuses, before a command works, files that it can not write, and to
// write over what it reads, over a file of a result folder, and over a file that
// leontief did not write.
func (c *command) checkOutputs(cmd *cobra.Command, args []string) error {
	sources := c.sources(cmd, args)
	if out, ok := c.data.(*os.File); ok {
		if info, err := out.Stat(); err == nil && info.Mode().IsRegular() && sourceOf(sources, info) != "" {
			return fmt.Errorf("standard output goes to %s, which is read", sourceOf(sources, info))
		}
	}
	if force, err := cmd.Flags().GetBool("force"); err != nil || force {
		return checkFiles(cmd.Flags()) // writes nothing, or may write over anything
	}
	var problems []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, file := f.Annotations[writesFile]
		_, folder := f.Annotations[writesFolder]
		var problem error
		switch path := f.Value.String(); {
		case path == "":
		case file:
			problem = overFile(path, sources)
			for _, ending := range f.Annotations[writesFile] { // files beside it
				beside := strings.TrimSuffix(path, filepath.Ext(path)) + ending
				problem = cmp.Or(problem, overFile(beside, sources))
			}
		case folder:
			problem = overFolder(path, sources)
		}
		if problem != nil {
			problems = append(problems, fmt.Errorf("--%s: %w; name another, or write over it with --force", f.Name, problem))
		}
	})
	if problems != nil {
		return errors.Join(problems...)
	}
	return checkFiles(cmd.Flags())
}

// sourceOf returns the name of the source that is the same file or folder; "" if
// none is. Names through links, hard links and other spellings are the same file.
func sourceOf(sources []source, info fs.FileInfo) string {
	for _, s := range sources {
		if os.SameFile(s.info, info) {
			return s.name
		}
	}
	return ""
}

// overFile returns what speaks against writing a file.
func overFile(path string, sources []source) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // nothing is there, or it can not be written: said elsewhere
	}
	if name := sourceOf(sources, info); name != "" {
		return fmt.Errorf("%s is read (%s)", path, name)
	}
	if folder, name := filepath.Dir(path), filepath.Base(path); partOf(folder, name) {
		return fmt.Errorf("%s belongs to the results in %s", path, folder)
	}
	if !written(path) {
		return fmt.Errorf("%s is there, and was not written by leontief", path)
	}
	return nil
}

// partOf reports whether a file is one that the manifest in its folder lists, or the
// manifest.
func partOf(folder, name string) bool {
	files, ours := sealed.Owner(folder)
	return ours && (name == sealed.ManifestFile || slices.Contains(files, name))
}

// overFolder returns what speaks against writing into a folder: that it is read, or
// that it holds files which are read and will be replaced or removed.
func overFolder(path string, sources []source) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if name := sourceOf(sources, info); name != "" {
		return fmt.Errorf("%s is read (%s)", path, name)
	}
	for _, s := range sources {
		real, err := filepath.EvalSymlinks(s.name)
		if err != nil || s.info.IsDir() {
			continue
		}
		above, err := os.Stat(filepath.Dir(real))
		if err == nil && os.SameFile(above, info) && partOf(path, filepath.Base(real)) {
			return fmt.Errorf("%s holds %s, which is read", path, s.name)
		}
	}
	return nil
}

// written reports whether leontief wrote a file, as far as its beginning and end
// tell. An empty file is nobody's.
func written(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err == nil
	}
	const most = 64 << 10
	head := make([]byte, min(most, info.Size()))
	tail := make([]byte, len(head))
	if _, err := io.ReadFull(f, head); err != nil {
		return false
	}
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return false
	}
	return slices.ContainsFunc(forms, func(is func(head, tail []byte) bool) bool { return is(head, tail) })
}

var forms = []func(head, tail []byte) bool{
	marked("PAR1", "leontief"),
	marked("%PDF", "(D:19700101000000)"),
	marked("\x89PNG", "leontief"),
	marked("<?xml", "SVGo and Plotinum VG"),
	marked("<!DOCTYPE html>", `name="generator" content="leontief"`),
	marked("%", `\begin{tabular}{@{}`),
	marked(`\begin{tabular}{@{}`, `\toprule`),
	marked("%", "written by leontief plot"),
	marked("#!/usr/bin/env python3", "Written by leontief plot"),
	marked("panel,title,y,series,x,mean", "\n"), // a figure's numbers
	marked("{", `"policy":`),                    // an allocation
	marked("[", `"policy":`),
	marked("{", `"read":`), // the report of an import
	isTable,
	func(head, _ []byte) bool { // CSV
		header, _, _ := bytes.Cut(head, []byte("\n"))
		return bytes.Contains(header, []byte("policy,")) && (bytes.Contains(header, []byte("metric,")) || bytes.Contains(header, []byte("job_id,")))
	},
}

// marked recognises a file by how it begins and by a mark near its beginning or end.
func marked(begin, mark string) func(head, tail []byte) bool {
	return func(head, tail []byte) bool {
		return bytes.HasPrefix(head, []byte(begin)) && (bytes.Contains(head, []byte(mark)) || bytes.Contains(tail, []byte(mark)))
	}
}

// isTable recognises a table of plain text or Markdown: its second line is a rule.
func isTable(head, _ []byte) bool {
	lines := bytes.SplitN(head, []byte("\n"), 3)
	return len(lines) == 3 && bytes.Contains(lines[1], []byte("---")) && len(bytes.Trim(lines[1], "-:| ")) == 0
}
