package boxes

// Partition reorders items so that of the values that belong to them the first n are
// not above the others, and the n-th is the largest of these (Hoare's
// selection).
func Partition[T int64 | float64](items []int32, n int, value func(item int32) T) {
	for low, high := 0, len(items)-1; low < high; {
		pivot := value(items[(low+high)/2])
		i, j := low, high
		for i <= j {
			for value(items[i]) < pivot {
				i++
			}
			for value(items[j]) > pivot {
				j--
			}
			if i <= j {
				items[i], items[j] = items[j], items[i]
				i++
				j--
			}
		}
		switch {
		case n-1 <= j:
			high = j
		case n-1 >= i:
			low = i
		default:
			return
		}
	}
}
