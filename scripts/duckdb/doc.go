// Package duckdb holds the test that DuckDB reads every table that leontief writes.
package duckdb
