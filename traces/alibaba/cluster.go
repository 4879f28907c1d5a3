package alibaba

import "github.com/leontief-sim/leontief/sim/cluster"

// PaperCluster returns the 20 servers of table 5 of the TSF-ER paper (a sample
// of the machines of the PAI trace: cores, GB, GPUs) behind one link of
// 1,500 MHz: 1,632 cores, 9,728 GB and 82 GPUs in all.
func PaperCluster() *cluster.Environment {
	return &cluster.Environment{
		Resources: []string{"cpu", "mem", "gpu"},
		Units:     map[string]string{"cpu": "cores", "mem": "GB", "gpu": "GPUs", "bw": "MHz"},
		Servers: []cluster.Server{
			{Name: "c64-m512-g2", Capacity: []float64{64, 512, 2}, Count: 9},
			{Name: "c96-m512-g2", Capacity: []float64{96, 512, 2}, Count: 4},
			{Name: "c96-m512-g8", Capacity: []float64{96, 512, 8}, Count: 3},
			{Name: "c96-m384-g8", Capacity: []float64{96, 384, 8}, Count: 4},
		},
		Links: []cluster.Link{{Name: "bw", Capacity: 1500}},
	}
}
