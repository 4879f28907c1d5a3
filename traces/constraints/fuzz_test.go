package constraints

import "testing"

// FuzzParse reads any text: what is read is written in one form, which reads back as the
// same and matches without a panic.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "the fast ones", `[["a","in",["b","",""]],["a",">","1e9"],{"key":"k","operator":"Exists"}]`, `[["\ud800","not present"]]`, `[["a","in",null]]`, `[["a","<=","\u0000"]] `} {
		f.Add(text, "b")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		list, tolerations, err := Parse(text)
		if err != nil {
			return
		}
		form := Format(list, tolerations...)
		again, tolerated, err := Parse(form)
		if err != nil || Format(again, tolerated...) != form {
			t.Fatalf("%q is written as %q: %v", text, form, err)
		}
		for _, c := range again {
			c.Match(value, true)
			if c.Op <= AtLeast && c.Match("", true) != c.Match("", false) {
				t.Errorf("%v tells an absent attribute from an empty one", c)
			}
		}
	})
}
