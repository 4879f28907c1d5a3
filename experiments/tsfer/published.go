package tsfer

// Setting is one column of table 3: n users, heterogeneity ρ, and the
// capacity of the link in MHz.
type Setting struct {
	N         int     `json:"n"`
	Rho       float64 `json:"rho"`
	Bandwidth float64 `json:"bandwidth_mhz"`
}

// column is a published column of table 3.
type column struct {
	Setting
	// values holds the mean JCT factors in the order of rules3.
	values [3]float64
	// repeats is set where the paper prints the values of an earlier column
	// again.
	repeats bool
}

// rules3 are the rules of table 3.
var rules3 = []string{"tsf-er", "mnw", "cru"}

// table3 is table 3 of the paper (section 6.2.1): the mean of the users' JCT
// factor in the fluid model. Columns 2, 5 and 8 are one setting.
var table3 = [9]column{
	{Setting{10, 0.7, 2}, [3]float64{0.608, 0.621, 0.623}, false},
	{Setting{15, 0.7, 2}, [3]float64{0.491, 0.510, 0.514}, false},
	{Setting{20, 0.7, 2}, [3]float64{0.410, 0.432, 0.437}, false},
	{Setting{15, 0.5, 2}, [3]float64{0.477, 0.492, 0.495}, false},
	{Setting{15, 0.7, 2}, [3]float64{0.491, 0.510, 0.514}, true},
	{Setting{15, 0.9, 2}, [3]float64{0.500, 0.519, 0.524}, false},
	{Setting{15, 0.7, 1}, [3]float64{0.442, 0.448, 0.448}, false},
	{Setting{15, 0.7, 2}, [3]float64{0.491, 0.510, 0.514}, true},
	{Setting{15, 0.7, 3}, [3]float64{0.516, 0.536, 0.540}, false},
}

// Central is the setting that table 3 varies from, and the one to whose value
// for TSF-ER the fitted workload was fitted.
var Central = Setting{15, 0.7, 2}

// beyond3MHz is not in the table. It serves the statement of section 6.2 that
// more than 3 MHz make the link irrelevant.
var beyond3MHz = Setting{15, 0.7, 6}

// largestDrop is the largest drop of TSF-ER's mean JCT factor below CRU's
// according to section 6.2.1, and dropAt the setting where it occurs.
const largestDrop = 0.065

var dropAt = Setting{20, 0.7, 2}

// The settings of figures 3 and 4 (section 6.2): 100 jobs, 2 MHz.
const (
	figureUsers     = 100
	figureBandwidth = 2
)

var figureRhos = []float64{0.5, 0.7, 0.9}

// figureRules are the rules of figures 3 and 4, TSF-ER first.
var figureRules = []string{"tsf-er", "drf-er", "drf-cpu", "drf-mem", "drf-eq", "tsf-cpu", "tsf-mem", "tsf-eq"}
