package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"strings"
	"time"
)

// modeOf is the mode of a file by its name: programs may be run.
func modeOf(name string) int64 {
	if base := path.Base(name); base == "leontief" || base == "leontief.exe" {
		return 0o755
	}
	return 0o644
}

// tarred packs files into one folder of a .tar.gz.
func tarred(folder string, files map[string][]byte, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	for _, name := range sorted(files) {
		err := w.WriteHeader(&tar.Header{Name: path.Join(folder, name), Mode: modeOf(name), Size: int64(len(files[name])),
			ModTime: at, Format: tar.FormatPAX})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), compressed.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// untarred reads the files of a .tar.gz without their common folder.
func untarred(data []byte) (map[string][]byte, error) {
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(compressed); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		_, name, _ := strings.Cut(header.Name, "/")
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if files[name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}

// zipped packs files into one folder of a .zip.
func zipped(folder string, files map[string][]byte, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range sorted(files) {
		file, err := w.CreateHeader(&zip.FileHeader{Name: path.Join(folder, name), Method: zip.Deflate, Modified: at})
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
