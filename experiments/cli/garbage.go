package cli

import (
	"os"
	"sync"
)

const ballastSize = 32 << 20

// ballast is memory that is never touched, so that the system never gives it: it is there
// to be counted, as long as it is kept, which is to the end of the process. The garbage of a
// replay or a search is many times what it holds, a few MB, and the collector begins when the
// heap is twice what is held: with the ballast after 64 MB, not after 8. That takes 32 MB at
// most. There is none where the user has said when garbage is collected.
var ballast = sync.OnceValue(func() []byte {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return make([]byte, ballastSize)
})
