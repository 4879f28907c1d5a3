package plots

import "slices"

func init() {
	RegisterForm(Form{
		Name: "ccdf", Title: "the share of the values that are above x",
		Pooled: []string{"user"}, Raw: true, Draw: drawCCDF,
	})
}

func drawCCDF(d Data, p *Panel) (string, error) {
	p.X.Label, p.Y.Label = d.Label, "Share of values above"
	p.Kind, p.Marks = "lines", (*Canvas).curves
	values := d.values()
	for _, name := range d.Names {
		of := values[[2]string{name, ""}]
		slices.Sort(of)
		for k, x := range of {
			p.point(name, single(x, 1-float64(k)/float64(len(of))))
			p.point(name, single(x, 1-float64(k+1)/float64(len(of))))
		}
	}
	return "", nil
}
