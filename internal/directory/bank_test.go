package directory_test

import (
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
)

// What an operator may set of a bank: nothing that a browser would run, and nothing without a source.
func TestSetBankRefuses(t *testing.T) {
	t.Parallel()
	s := setup(t).settings
	who := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	good := directory.Bank{
		Currency: "RUB",
		Name:     "Alpha",
		Methods:  []string{"sbp"},
		Link:     "https://alpha.example/pay?to={phone}&sum={amount}",
		Source:   "https://alpha.example/docs",
		Enabled:  true,
	}
	if _, err := s.SetBank(t.Context(), who, good); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(*directory.Bank)
		field  string
	}{
		"no name":           {func(b *directory.Bank) { b.Name = "" }, "name"},
		"long name":         {func(b *directory.Bank) { b.Name = strings.Repeat("x", 61) }, "name"},
		"no currency":       {func(b *directory.Bank) { b.Currency = "" }, "currency"},
		"unknown currency":  {func(b *directory.Bank) { b.Currency = "XXX" }, "currency"},
		"no methods":        {func(b *directory.Bank) { b.Methods = nil }, "methods"},
		"another's method":  {func(b *directory.Bank) { b.Methods = []string{"iban"} }, "methods"},
		"a card checkout":   {func(b *directory.Bank) { b.Methods = []string{"mtstpay"} }, "methods"},
		"a script":          {func(b *directory.Bank) { b.Link = "javascript:alert({amount})" }, "link"},
		"a script in caps":  {func(b *directory.Bank) { b.Link = "JavaScript:alert(1)" }, "link"},
		"data":              {func(b *directory.Bank) { b.Link = "data:text/html,{value}" }, "link"},
		"plain http":        {func(b *directory.Bank) { b.Link = "http://alpha.example/{value}" }, "link"},
		"no scheme":         {func(b *directory.Bank) { b.Link = "//alpha.example/{value}" }, "link"},
		"a scheme by place": {func(b *directory.Bank) { b.Link = "{recipient}:pay" }, "link"},
		"a host by place":   {func(b *directory.Bank) { b.Link = "https://{recipient}/pay" }, "link"},
		"an unknown place":  {func(b *directory.Bank) { b.Link = "https://alpha.example/{pin}" }, "link"},
		"an open place":     {func(b *directory.Bank) { b.Link = "https://alpha.example/{value" }, "link"},
		"a long link":       {func(b *directory.Bank) { b.Link = "https://alpha.example/" + strings.Repeat("x", 500) }, "link"},
		"neither":           {func(b *directory.Bank) { b.Link = "" }, "link"},
		"no language":       {func(b *directory.Bank) { b.Steps = map[string]string{"english": "x"} }, "steps"},
		"empty steps":       {func(b *directory.Bank) { b.Steps = map[string]string{"en": ""} }, "steps"},
		"no source":         {func(b *directory.Bank) { b.Source = "" }, "source"},
		"no picture":        {func(b *directory.Bank) { b.Logo = []byte("<svg onload=alert(1)>") }, "logo"},
		"a large picture":   {func(b *directory.Bank) { b.Logo = []byte("\x89PNG\r\n\x1a\n" + strings.Repeat("x", 32<<10)) }, "logo"},
	} {
		bad := good
		test.change(&bad)
		_, err := s.SetBank(t.Context(), who, bad)
		if refusal := fault.As(err); refusal == nil || refusal.Fields[test.field] == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.SetBank(t.Context(), caller.Caller{Kind: caller.Trader, Role: caller.Owner}, good); err == nil {
		t.Error("a trader sets banks")
	}
	// The same once more is no change, and a logo stays until there is another.
	good.Logo = []byte("\x89PNG\r\n\x1a\n")
	changed, err := s.SetBank(t.Context(), who, good)
	if err != nil || changed.ID == 0 {
		t.Fatalf("%+v %v", changed, err)
	}
	good.Logo = nil
	if again, err := s.SetBank(t.Context(), who, good); err != nil || again.ID != 0 {
		t.Errorf("the same once more: %+v %v", again, err)
	}
	list, err := s.ListBanks(t.Context(), who, "RUB")
	if err != nil || len(list) != 1 || list[0].LogoHash == "" || list[0].Link != good.Link {
		t.Errorf("%+v %v", list, err)
	}
}
