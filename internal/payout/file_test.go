package payout_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"golang.org/x/text/encoding/charmap"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

const fileHead = "orderId,amount,method,address,recipient,bankName,metadata.region\r\n"

// table is a file of so many payouts of 1000 RUB each.
func table(rows int) string {
	var file strings.Builder
	file.WriteString(fileHead)
	for i := range rows {
		fmt.Fprintf(&file, "row-%d,1000,sbp,+7900123%04d,Ivan Petrov,Sberbank,west\r\n", i, i)
	}
	return file.String()
}

// workbook is an XLSX file as Excel writes it: a line of a title, the columns'
// names as shared texts, and a row of these cells.
func workbook(t *testing.T, cells string) string {
	t.Helper()
	var names, head strings.Builder
	for i, name := range []string{"Заказ", "Сумма", "Способ", "Телефон", "Получатель", "Банк"} {
		fmt.Fprintf(&names, "<si><t>%s</t></si>", name)
		fmt.Fprintf(&head, `<c r="%c2" t="s"><v>%d</v></c>`, 'A'+i, i)
	}
	const of = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	const packaged = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="`
	var book bytes.Buffer
	archive := zip.NewWriter(&book)
	for name, content := range map[string]string{
		"xl/workbook.xml":            `<workbook ` + main + ` xmlns:r="` + of + `"><sheets><sheet name="Pay" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": packaged + of + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/styles.xml":              "<styleSheet " + main + "/>",
		"xl/sharedStrings.xml":       "<sst " + main + ">" + names.String() + "</sst>",
		"xl/worksheets/sheet1.xml": `<worksheet ` + main + `><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Выплаты</t></is></c></row>` +
			`<row r="2">` + head.String() + `</row><row r="3">` + cells + `</row></sheetData></worksheet>`,
	} {
		file := testenv.Must(archive.Create(name))(t)
		testenv.Must(file.Write([]byte(content)))(t)
	}
	testenv.NoError(t, archive.Close())
	return book.String()
}

func (b *bundle) send(t *testing.T, m dbtest.Merchant, content string) payout.File {
	t.Helper()
	return testenv.Must(b.payouts.SendFile(t.Context(), m.User(caller.Owner), payout.NewFile{KeyID: m.Caller.ID, Name: "pay.csv", Content: []byte(content)}))(t)
}

// shown is a file's preview for the merchant's key; an empty text is more than
// any.
func shown(m dbtest.Merchant, most string) payout.Shown {
	return payout.Shown{KeyID: m.Caller.ID, FrozenUSDT: cmp.Or(most, "1000000")}
}

func (b *bundle) make(t *testing.T, m dbtest.Merchant, id int64, most string) (payout.MadeFile, error) {
	t.Helper()
	return b.payouts.MakeFile(t.Context(), m.User(caller.Owner), id, shown(m, most))
}

// Every form in which spreadsheets write the same payouts makes the same ones,
// whose preview says what they cost; and the same file again is the one that
// was made.
func TestFileMakesPayouts(t *testing.T) {
	b, m := withMerchant(t, "100")
	cyrillic := testenv.Must(charmap.Windows1251.NewEncoder().String(
		"Выплаты;;;;\r\nЗаказ;Сумма;Способ;Телефон;Получатель;Банк\r\n;;;;;\r\nA-1;1 000,50;СБП;8 (900) 123-45-67;Пётр Ильин;Т-Банк\r\n"))(t)
	for name, content := range map[string]string{
		"windows": cyrillic,
		"a mark":  "\ufefforderId;amount;method;address;recipient;bankName\nA-2;1000,50;sbp;79001234567;Пётр Ильин;Т-Банк\n",
		"the template": strings.NewReplacer("PAYOUT-1,1500.00", "A-4,1000.50", "Ivan Petrov", "Пётр Ильин", "Sberbank", "Т-Банк").
			Replace(payout.FileTemplate()),
		"a workbook": workbook(t, `<c r="A3" t="inlineStr"><is><t>A-5</t></is></c><c r="B3"><v>1000.5</v></c>`+
			`<c r="C3" t="inlineStr"><is><t>СБП</t></is></c><c r="D3"><v>79001234567</v></c>`+
			`<c r="E3" t="inlineStr"><is><t>Пётр Ильин</t></is></c><c r="F3" t="inlineStr"><is><t>Т-Банк</t></is></c>`),
		"of Windows": "ORDERID\tAmount\tMETHOD\taddress\trecipient\tbank\nA-3\t1000.50\tSBP\t+7 900 123-45-67\tПётр Ильин\tТ-Банк\n",
	} {
		file := b.send(t, m, content)
		preview := testenv.Must(b.payouts.PreviewFile(t.Context(), m.User(caller.Owner), file.ID))(t)
		testenv.Check(t, preview.Good() && preview.Payouts == 1 && preview.Amount.String() == "1000.5" &&
			preview.FrozenUSDT.String() == "10.2051" && preview.Rate.String() == "100", "%s: %+v", name, preview)
		made := testenv.Must(b.make(t, m, file.ID, preview.FrozenUSDT.String()))(t)
		testenv.Check(t, !made.Replay && made.File.Made() && made.File.Payouts == 1, "%s: %+v", name, made)
		rows := testenv.Must(b.payouts.AllFilePayouts(t.Context(), m.User(caller.Owner), file.ID))(t)
		testenv.Check(t, len(rows) == 1 && rows[0].Recipient == "Пётр Ильин" && rows[0].AddressMask == "•••• 4567" &&
			*rows[0].BankName == "Т-Банк" && rows[0].FrozenUSDT.Equal(preview.FrozenUSDT), "%s: %+v", name, rows)
		again := b.send(t, m, content)
		repeat := testenv.Must(b.make(t, m, again.ID, ""))(t)
		testenv.Check(t, again.ID == file.ID && again.Made() && repeat.Replay, "%s again: %+v, %+v", name, again, repeat)
	}
	// One whose payouts are not made goes after a day.
	b.send(t, m, payout.FileTemplate())
	for _, want := range []int{6, 5} {
		b.clock.Advance(day)
		testenv.NoError(t, b.payouts.PurgeFiles(t.Context()))
		testenv.Want(t, b.Count(t, "select count(*) from payout_file"), want, "files")
	}
	testenv.Want(t, b.Text(t, "select string_agg(distinct actor, ',') from payin_history"), "merchant_portal:7", "who made them")
	testenv.Want(t, b.Count(t, "select count(*) from payout_file where content is not null"), 0, "files that are kept")
	b.wantMoney(t, m.CashboxID, b.trader(t).ID, money{"48.9745", "51.0255", "0", "0"})
}

// A workbook keeps fifteen digits of a number. What stands for the others in a
// longer one is no account.
func TestFileWithLostDigits(t *testing.T) {
	b, m := withMerchant(t, "21")
	for _, kept := range []string{"4.0817810900099912E19", "40817810900099912000", "4111111111111111"} {
		file := b.send(t, m, workbook(t, `<c r="A3" t="inlineStr"><is><t>A-5</t></is></c><c r="B3"><v>1000</v></c>`+
			`<c r="C3" t="inlineStr"><is><t>c2c</t></is></c><c r="D3"><v>`+kept+`</v></c><c r="E3" t="inlineStr"><is><t>Пётр Ильин</t></is></c>`))
		flaws := testenv.Must(b.payouts.PreviewFile(t.Context(), m.User(caller.Owner), file.ID))(t).Flaws
		testenv.Check(t, len(flaws) == 1 && flaws[0].Field == "address", "%s: %+v", kept, flaws)
	}
	// Nor is it made under an order id that the merchant does not know, by
	// which nobody would see that it is paid already.
	for name, content := range map[string]string{
		"workbook": workbook(t, `<c r="A3"><v>1234567890123456</v></c><c r="B3"><v>1000</v></c><c r="C3" t="inlineStr"><is><t>sbp</t></is></c>`+
			`<c r="D3"><v>79001234567</v></c><c r="E3" t="inlineStr"><is><t>Пётр Ильин</t></is></c>`),
		"text of a spreadsheet": fileHead + "1.23457E+15,1000,sbp,79001234567,Ivan Petrov,,\n",
	} {
		file := b.send(t, m, content)
		flaws := testenv.Must(b.payouts.PreviewFile(t.Context(), m.User(caller.Owner), file.ID))(t).Flaws
		testenv.Check(t, len(flaws) == 1 && flaws[0].Field == "orderId", "order id in a %s: %+v", name, flaws)
	}
}

// What a spreadsheet shows in place of a value that it does not know, or has no
// room for, is nobody's name and no order's id.
func TestFileWithErrors(t *testing.T) {
	b, m := withMerchant(t, "100")
	text := func(order, recipient, bank string) string {
		return fileHead + order + ",1000,sbp,79001234567," + recipient + "," + bank + ",\n"
	}
	for content, field := range map[string]string{
		workbook(t, `<c r="A3" t="inlineStr"><is><t>A-1</t></is></c><c r="B3"><v>1000</v></c><c r="C3" t="inlineStr"><is><t>sbp</t></is></c>`+
			`<c r="D3"><v>79001234567</v></c><c r="E3" t="e"><f>VLOOKUP(A3,Z:Z,1,0)</f><v>#N/A</v></c>`): "recipient",
		text("A-2", "#Н/Д", ""): "recipient", text("A-3", "#ССЫЛКА!", ""): "recipient", text("A-4", "#NAME?", ""): "recipient",
		text("A-5", "Ivan Petrov", "#DIV/0!"): "bankName", text("#######", "Ivan Petrov", ""): "orderId",
		// A quotation mark without its other takes the next row for a
		// note.
		strings.TrimSuffix(text("A-6", "Ivan Petrov", ""), "\n") + ",\"once\nA-7,1000,sbp,79001234567,Ivan Petrov,,\n": "line",
	} {
		file := b.send(t, m, content)
		flaws := testenv.Must(b.payouts.PreviewFile(t.Context(), m.User(caller.Owner), file.ID))(t).Flaws
		testenv.Check(t, len(flaws) == 1 && flaws[0].Field == field, "want %s to be wrong: %+v", field, flaws)
		dbtest.WantCode(t, testenv.ErrOf(b.make(t, m, file.ID, "")), "payout_file_flawed")
	}
	testenv.Must(b.make(t, m, b.send(t, m, text("#12/A!b", "Ivan #1 Petrov?", "Bank!")).ID, ""))(t)
}

// Whatever is wrong is said by line and field, and nothing is made of such a
// file.
func TestFileFlaws(t *testing.T) {
	b, m := withMerchant(t, "21")
	b.create(t, m.Caller, request("used"))
	file := b.send(t, m, fileHead+
		"used,1000,sbp,+79001234567,Ivan Petrov,,\n\nsame,1000,sbp,+79001234567,Ivan Petrov,,\nsame,1000,sbp,+79001234567,Ivan Petrov,,\n"+
		"wrong,ten,c2c,4111111111111112,,,\ncard,1,sbp,+79001234567,Ivan Petrov,,4111111111111111\n")
	preview := testenv.Must(b.payouts.PreviewFile(t.Context(), m.User(caller.Owner), file.ID))(t)
	var said []string
	for _, flaw := range preview.Flaws {
		said = append(said, fmt.Sprintf("%d %s %s", flaw.Line, flaw.Field, strings.Join(flaw.Reasons, "; ")))
	}
	want := `2 orderId was used for a payout before
5 orderId is that of line 4, too
6 amount must be a plain decimal number, without sign or exponent
6 address must be a card number of 13 to 19 digits with a valid check digit, or an account number of 20 digits
6 recipient is required
7 metadata.region must not contain a card number`
	testenv.Want(t, strings.Join(said, "\n"), want, "flaws")
	dbtest.WantCode(t, testenv.ErrOf(b.make(t, m, file.ID, "")), "payout_file_flawed")
	for content, wrong := range map[string]string{
		"":                         "must not be empty",
		"amount,method\n1,sbp\n":   "has no row that names the columns orderId, amount, method, address and recipient",
		fileHead:                   "has no payout",
		table(2001):                "has more than 2000 rows",
		"PK\x03\x04 and no more":   "is no XLSX workbook that can be opened",
		strings.Repeat(" ", 2<<20): "is larger than 1 MB",
	} {
		_, err := b.payouts.SendFile(t.Context(), m.User(caller.Owner), payout.NewFile{KeyID: m.Caller.ID, Name: "pay.csv", Content: []byte(content)})
		dbtest.WantFields(t, err, "file")
		testenv.Check(t, err != nil && strings.Contains(fmt.Sprint(fault.As(err).Fields), wrong), "%.20q: %v", content, err)
	}
	// A file of right rows is refused as a whole: by the balance, the key's
	// day, and what was shown.
	costs := b.send(t, m, table(1))
	dbtest.WantCode(t, testenv.ErrOf(b.make(t, m, costs.ID, "10.19")), "payout_file_costs_more")
	dbtest.WantCode(t, testenv.ErrOf(b.make(t, m, b.send(t, m, table(2)).ID, "")), "insufficient_cashbox_balance")
	b.Exec(t, "update api_key set payout_daily_limit = 999")
	dbtest.WantCode(t, testenv.ErrOf(b.make(t, m, costs.ID, "")), "key_payout_limit")
	// It takes a second factor of the last minutes, and somebody who works
	// with money.
	for _, who := range []caller.Caller{
		{Kind: caller.MerchantPortal, MerchantID: m.ID, Role: caller.Owner, Stale: true},
		{Kind: caller.MerchantPortal, MerchantID: m.ID, Role: caller.Developer},
	} {
		_, err := b.payouts.MakeFile(t.Context(), who, costs.ID, shown(m, ""))
		testenv.Check(t, err != nil && fault.As(err).Kind == fault.Forbidden, "%+v: %v", who, err)
	}
	testenv.Want(t, b.Count(t, "select count(*) from payin"), 1, "payouts")
	// Only keys that may pay out, of one's own; and of another merchant's
	// file nothing is known.
	other := b.merchant(t, "20", dbtest.MerchantOpts{Scopes: []string{caller.ScopePayments}})
	for _, key := range []int64{m.Caller.ID, other.Caller.ID} {
		_, err := b.payouts.SendFile(t.Context(), other.User(caller.Owner), payout.NewFile{KeyID: key, Name: "pay.csv", Content: []byte(table(1))})
		dbtest.WantFields(t, err, "keyId")
	}
	dbtest.WantCode(t, testenv.ErrOf(b.make(t, other, costs.ID, "")), "not_found")
	dbtest.WantCode(t, testenv.ErrOf(b.payouts.File(t.Context(), other.User(caller.Owner), costs.ID)), "not_found")
}

// The look at a file says what refuses all of its payouts, before somebody is
// asked to make them. What the key's day and the cashbox just hold is made.
func TestFileOfTooMuch(t *testing.T) {
	b, m := withMerchant(t, "30.6")
	b.Exec(t, "update api_key set payout_daily_limit = 9000")
	b.create(t, m.Caller, request("before")) // 1000 of the day, and 10.2 of the balance
	for _, c := range []struct {
		rows           int
		limit, refusal string
	}{
		{2, "2999.99", "key_payout_limit"}, {3, "9000", "insufficient_cashbox_balance"}, {2, "3000", ""},
	} {
		b.Exec(t, "update api_key set payout_daily_limit = $1::numeric", c.limit)
		file := b.send(t, m, table(c.rows))
		preview := testenv.Must(b.payouts.PreviewFile(t.Context(), m.User(caller.Owner), file.ID))(t)
		_, err := b.make(t, m, file.ID, "")
		if c.refusal == "" {
			testenv.Check(t, preview.Good() && err == nil, "%+v: %+v, %v", c, preview.Refused, err)
			continue
		}
		testenv.Check(t, !preview.Good() && preview.Refused != nil && preview.Refused.Code == c.refusal, "%+v: %+v", c, preview.Refused)
		dbtest.WantCode(t, err, c.refusal)
	}
	b.Audit(t)
}

// Two thousand payouts are made together, once, however often they are asked
// for at a time; and if the last thing fails, nothing is left of them.
func TestFileIsAllOrNothing(t *testing.T) {
	b, m := withMerchant(t, "20400")
	b.create(t, m.Caller, request("before")) // the balance is short of it now
	b.Exec(t, "update api_key set payout_daily_limit = 2000000")
	file := b.send(t, m, table(payout.MaxFileRows))
	dbtest.WantCode(t, testenv.ErrOf(b.make(t, m, file.ID, "")), "insufficient_cashbox_balance")
	b.Exec(t, "create function fail() returns trigger language plpgsql as $$ begin raise 'the end'; end $$")
	b.Exec(t, "create trigger fail before update on account_balance for each row execute function fail()")
	b.Exec(t, "update cashbox_payout_method set markup_percent = 0")
	testenv.Check(t, testenv.ErrOf(b.make(t, m, file.ID, "")) != nil, "made without its debit")
	testenv.Want(t, b.Count(t, "select count(*) from payin_key"), 1, "order ids that are taken")
	b.Exec(t, "drop trigger fail on account_balance")
	made := make([]payout.MadeFile, 4)
	testenv.NoError(t, testenv.AtOnce(len(made), func(i int) (err error) {
		made[i], err = b.payouts.MakeFile(context.Background(), m.User(caller.Owner), file.ID, shown(m, ""))
		return err
	})...)
	fresh := 0
	for _, one := range made {
		if !one.Replay {
			fresh++
		}
		testenv.Check(t, one.File.Payouts == payout.MaxFileRows && one.File.FrozenUSDT.String() == "20000", "%+v", one.File)
	}
	testenv.Want(t, fresh, 1, "calls made them")
	testenv.Want(t, b.Count(t, "select count(*) from payin"), payout.MaxFileRows+1, "payouts")
	testenv.Want(t, b.Text(t, "select amount::text from key_payout_day"), "2000000.00", "counts of the key's day")
	counts := testenv.Must(b.payouts.FileProgress(t.Context(), m.User(caller.Owner), file.ID))(t)
	testenv.Want(t, counts[payout.Waiting], payout.MaxFileRows, "wait")
	page, _, err := b.payouts.FilePayouts(t.Context(), m.User(caller.Owner), file.ID, payout.FilePage{Page: db.Page{Limit: new(int32(2)), Cursor: new("3")}})
	testenv.NoError(t, err)
	testenv.Check(t, len(page) == 2 && page[0].Line == 4 && page[0].OrderID == "row-2", "a page: %+v", page)
	b.wantMoney(t, m.CashboxID, b.trader(t).ID, money{"389.8", "20010.2", "0", "0"})
}

// A file is bound like calls are: by whom is not paid out to, by the settings
// of the cashbox, and by the key that was shown. What came between the look at
// it and its payouts counts.
func TestFileIsBoundLikeCalls(t *testing.T) {
	b, m := withMerchant(t, "21")
	b.payouts.Requisites = dbtest.Requisites()
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	file := b.send(t, m, table(2))
	refused := func(code string, key int64) {
		t.Helper()
		_, err := b.payouts.MakeFile(t.Context(), m.User(caller.Owner), file.ID, payout.Shown{KeyID: key, FrozenUSDT: "1000000"})
		dbtest.WantCode(t, err, code)
	}
	flawed := func(field string) {
		t.Helper()
		flaws := testenv.Must(b.payouts.PreviewFile(t.Context(), m.User(caller.Owner), file.ID))(t).Flaws
		testenv.Check(t, len(flaws) > 0 && flaws[0].Field == field, "want %s to be wrong: %+v", field, flaws)
		refused("payout_file_flawed", m.Caller.ID)
	}
	made := testenv.Must(settings.BlockPayer(t.Context(), operator, directory.NewBlock{
		Kind: "requisite", Value: "+79001230001", Reason: "fraud",
	}))(t)
	flawed("address")
	testenv.Must(settings.UnblockPayer(t.Context(), operator, made.ID, "tried"))(t)
	for field, change := range map[string][2]string{
		"amount": {"max_amount = 999", "max_amount = null"}, "method": {"enabled = false", "enabled = true"},
	} {
		b.Exec(t, "update cashbox_payout_method set "+change[0])
		flawed(field)
		b.Exec(t, "update cashbox_payout_method set "+change[1])
	}
	refused("payout_file_costs_more", m.Caller.ID+1)
	for _, change := range [][2]string{
		{"update api_key set revoked_at = now()", "update api_key set revoked_at = null"},
		{"update api_key set expires_at = now()", "update api_key set expires_at = null"},
		{"update merchant set api_enabled = false", "update merchant set api_enabled = true"},
	} {
		b.Exec(t, change[0])
		refused("merchant_external_payins_disabled", m.Caller.ID)
		b.Exec(t, change[1])
	}
	testenv.Want(t, b.Count(t, "select count(*) from payin"), 0, "payouts")
	testenv.Must(b.make(t, m, file.ID, ""))(t)
}

// What another takes between the look at a file and its payouts is missing for
// them: nothing is made, and nothing is left.
func TestFileMeetsOthers(t *testing.T) {
	t.Parallel()
	for want, take := range map[string]func(t *testing.T, q *db.Queries, m dbtest.Merchant) error{
		"insufficient_cashbox_balance": func(t *testing.T, q *db.Queries, m dbtest.Merchant) error {
			return ledger.Post(t.Context(), q, ledger.Cause{Kind: "funding", Subject: "sandbox", At: dbtest.Start}, ledger.Transfer{
				Debit:  ledger.Available(ledger.Cashbox, m.CashboxID),
				Credit: ledger.Available(ledger.External, 0), Amount: decimal.NewFromInt(15),
			})
		},
		"key_payout_limit": func(t *testing.T, q *db.Queries, m dbtest.Merchant) error {
			return testenv.ErrOf(q.KeyPayoutAdd(t.Context(), db.KeyPayoutAddParams{
				KeyID: m.Caller.ID, Day: dbtest.Start.Truncate(day), Amount: decimal.NewFromInt(501), Most: decimal.NewFromInt(1500),
			}))
		},
		"payout_file_flawed": func(t *testing.T, q *db.Queries, m dbtest.Merchant) error {
			return testenv.ErrOf(q.PayoutKeyInsert(t.Context(), db.PayoutKeyInsertParams{MerchantID: m.ID, Channel: "sbp", OrderID: "row-0"}))
		},
	} {
		t.Run(want, func(t *testing.T) {
			b, m := withMerchant(t, "21")
			b.Exec(t, "update api_key set payout_daily_limit = 1500")
			file := b.send(t, m, table(1)) // costs 10.2
			tx := b.Beside(t)
			testenv.NoError(t, take(t, db.New(tx), m))
			made := make(chan error, 1)
			go func() {
				made <- testenv.ErrOf(b.payouts.MakeFile(context.Background(), m.User(caller.Owner), file.ID, shown(m, "")))
			}()
			b.AwaitBlocked(t)
			testenv.NoError(t, tx.Commit(t.Context()))
			dbtest.WantCode(t, <-made, want)
			testenv.Want(t, b.Count(t, "select count(*) from payin"), 0, "payouts")
			testenv.Want(t, b.Count(t, "select count(*) from payout_file where made_at is not null"), 0, "files that were made")
			b.Audit(t)
		})
	}
}
