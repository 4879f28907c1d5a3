package rows

// SetBombSize sets the size up to which anything may unpack to any size, and
// returns the size that it was.
func SetBombSize(size int64) int64 {
	old := bombSize
	bombSize = size
	return old
}
