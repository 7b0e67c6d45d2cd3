package bankstatement_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"golang.org/x/text/encoding/charmap"

	"gateway.example/internal/bankstatement"
	"gateway.example/internal/testenv"
)

var moscow = time.FixedZone("MSK", 3*60*60)

// Each kind of file has the same three movements; only the first says when in
// the day they were.
func TestRead(t *testing.T) {
	testenv.OneByOne(t)
	timed := `2 20.11.2026 12:00:05 1500.00 Перевод от Ивана И.; 3 20.11.2026 12:30:00 -300.50 Кофе; 6 21.11.2026 09:00:00 12345.67 СБП, без "имени"`
	days := `5 20.11.2026 1500.00 ИВАНОВ И.И. Перевод; 17 20.11.2026 -300.50 ООО КОФЕ Оплата; 29 21.11.2026 12345.67 ПЕТРОВ П.`
	exchange := `1CClientBankExchange
ВерсияФормата=1.03
Кодировка=Windows
РасчСчет=40817810000000000001
` + document("ДатаПоступило=20.11.2026", "Сумма=1500.00", "ПлательщикСчет=4", "Плательщик=ИВАНОВ И.И.",
		"ПолучательСчет=40817810000000000001", "НазначениеПлатежа=Перевод") +
		document("ДатаСписано=20.11.2026", "Сумма=300.50", "ПлательщикСчет=40817810000000000001", "Получатель=ООО КОФЕ",
			"ПолучательСчет=5", "НазначениеПлатежа=Оплата") +
		document("Дата=21.11.2026", "Сумма=12345.67", "Плательщик=ПЕТРОВ П.", "ПолучательСчет=40817810000000000001") + "КонецФайла\n"
	csv := "Дата операции;Время;Описание;Приход;Расход;Остаток\r\n" +
		"20.11.2026;12:00:05;Перевод от Ивана И.;1 500,00;;9 999,00\r\n20.11.2026;12:30;Кофе;;300,50;1\r\n;;Остаток на конец;;;3\r\n\r\n" +
		"21.11.2026;09:00;\"СБП, без \"\"имени\"\"\";12 345,67 ₽;;4\r\n"
	for name, file := range map[string]struct{ content, want string }{
		"csv":             {csv, timed},
		"csv of Windows":  {windows(csv), timed},
		"csv with a mark": {"\ufeff" + csv, timed},
		"signed, in English": {
			"My bank\n\nDate,Details,Amount\n2026-11-20 12:00:05,From Ivan,\"1,500.00\"\n2026-11-20,Coffee,-300.5\n",
			"4 20.11.2026 12:00:05 1500.00 From Ivan; 5 20.11.2026 -300.50 Coffee",
		},
		"1C":            {exchange, days},
		"1C of Windows": {windows(strings.ReplaceAll(exchange, "\n", "\r\n")), days},
		"xlsx": {
			book(`<row r="1"><c r="A1" t="inlineStr"><is><t>Дата</t></is></c><c r="C1" t="inlineStr"><is><t>Сумма</t></is></c></row>` +
				`<row r="4"><c r="A4" t="inlineStr"><is><t>20.11.2026 12:00</t></is></c><c r="C4"><v>1500.5</v></c></row>`),
			"4 20.11.2026 12:00:00 1500.50 ",
		},
		"numbers of xlsx": {
			book(`<row r="1"><c r="A1" t="inlineStr"><is><t>Дата</t></is></c><c r="C1" t="inlineStr"><is><t>Сумма</t></is></c></row>` +
				`<row r="2"><c r="A2" t="inlineStr"><is><t>20.11.2026</t></is></c><c r="C2"><v>1.2345678E7</v></c></row>` +
				`<row r="3"><c r="A3" t="inlineStr"><is><t>20.11.2026</t></is></c><c r="C3"><v>1234.5600000000001</v></c></row>`),
			"2 20.11.2026 12345678.00 ; 3 20.11.2026 1234.56 ",
		},
		"times with a zone": {
			"Date,Amount\n2026-11-20T09:00:05Z,1\n2026-11-20T14:00:05.5+05:00,2\n", "2 20.11.2026 12:00:05 1.00 ; 3 20.11.2026 12:00:05 2.00 ",
		},
		"days written as midnight, or short": {
			"Дата;Сумма\n20.11.2026 00:00:00;1\n1.2.2026;2\n1.2.2026 9:05;3\n", "2 20.11.2026 1.00 ; 3 01.02.2026 2.00 ; 4 01.02.2026 09:05:00 3.00 ",
		},
		"times of xlsx": {
			book(`<row r="1"><c r="A1" t="inlineStr"><is><t>Дата</t></is></c><c r="C1" t="inlineStr"><is><t>Сумма</t></is></c></row>`+
				`<row r="2"><c r="A2" s="0"><v>46346.5</v></c><c r="C2" t="n" s="1"><v>1</v></c></row>`, "",
				`<styleSheet><cellXfs><xf numFmtId="22"/><xf numFmtId="0"/></cellXfs></styleSheet>`),
			"2 20.11.2026 12:00:00 1.00 ",
		},
		"times of xlsx in a column of their own": {
			book(`<row r="1"><c r="A1" t="inlineStr"><is><t>Дата</t></is></c><c r="B1" t="inlineStr"><is><t>Время</t></is></c>`+
				`<c r="C1" t="inlineStr"><is><t>Сумма</t></is></c></row>`+
				`<row r="2"><c r="A2" s="0"><v>46346</v></c><c r="B2" s="0"><v>0.5</v></c><c r="C2" t="n" s="1"><v>1</v></c></row>`, "",
				`<styleSheet><cellXfs><xf numFmtId="22"/><xf numFmtId="0"/></cellXfs></styleSheet>`),
			"2 20.11.2026 12:00:00 1.00 ",
		},
		"no such date": {"Дата;Сумма\n20.11.2026;1\n11/31/2026;2\n", `has a line 3 whose date cannot be read: "11/31/2026"`},
		"the account's currency beside that of the operation": {
			"Дата операции;Статус;Сумма операции;Валюта операции;Сумма платежа;Валюта платежа\n20.11.2026;OK;100;USD;9000,50;RUB\n",
			"2 20.11.2026 9000.50 ",
		},
		"the account's currency after that of the operation": {
			"Дата транзакции;Описание;Валюта операции;Сумма в валюте операции;Сумма в валюте счета\n20.11.2026;Перевод;USD;100;9 000,50\n",
			"2 20.11.2026 9000.50 Перевод",
		},
		"what the bank has not carried out": {
			"Дата операции;Статус;Сумма операции\n20.11.2026;FAILED;1500\n20.11.2026;Отклонена;1500\n20.11.2026;OK;1600\n", "4 20.11.2026 1600.00 ",
		},
		"taken back": {
			"Дата;Приход;Расход\n20.11.2026;1500;\n20.11.2026;-1500;\n20.11.2026;;-20\n",
			"2 20.11.2026 1500.00 ; 3 20.11.2026 -1500.00 ; 4 20.11.2026 -20.00 ",
		},
		"only what came has a sign": {
			"Дата;Сумма\n20.11.2026;+1 500,00\n20.11.2026;300,50\n", "2 20.11.2026 1500.00 ; 3 20.11.2026 -300.50 ",
		},
		"what came has a sign, and what went": {
			"Дата;Сумма\n20.11.2026;+1 500,00\n20.11.2026;-300,50\n20.11.2026;7\n", "2 20.11.2026 1500.00 ; 3 20.11.2026 -300.50 ; 4 20.11.2026 7.00 ",
		},
		"a total is no movement": {
			"Дата;Сумма\n20.11.2026;1\nИтого;2\n01.11.2026 - 30.11.2026;3\n4 операции;4\n", "2 20.11.2026 1.00 ",
		},
		"a quotation mark": {
			"Дата;Сумма;Описание\n20.11.2026;1;\"Ромашка\" ООО\n20.11.2026;2;Кофе\n",
			"has a line 2 that goes over several lines: is a quotation mark missing?",
		},
		"a text of two lines":    {"Дата;Описание;Сумма\n20.11.2026;\"Кофе\nи чай\";1\n", "2 20.11.2026 1.00 Кофе\nи чай"},
		"three decimals":         {"Дата;Сумма\n20.11.2026;1500.125\n", `has a line 2 whose amount cannot be read: "1500.125"`},
		"nothing":                {"Дата;Сумма\n", "has no movement that could be read"},
		"empty":                  {"", "has no row that names a column of dates and one of amounts"},
		"no names":               {"1;2\n3;4\n", "has no row that names a column of dates and one of amounts"},
		"no amount":              {"Дата;Сумма\n20.11.2026;сто\n", `has a line 2 whose amount cannot be read: "сто"`},
		"no date of 1C":          {"1CClientBankExchange\n" + document("Сумма=5"), `has a line 2 whose date cannot be read: ""`},
		"no book":                {"PK\x03\x04 and nothing", "is no XLSX workbook that can be opened"},
		"too many lines":         {"Дата;Сумма\n" + strings.Repeat("20.11.2026;1\n", 10_001), "has more than 10000 movements: send a shorter period"},
		"a text below the first": {book(`<row r="1"><c r="A1" t="s"><v> -1</v></c></row>`), "is no XLSX workbook that can be opened"},
		"a cell in another":      {book(`<row r="1"><c r="A1" t="s"><c/><v>-1</v></c></row>`), "is no XLSX workbook that can be opened"},
		"a cell without a place": {book(`<row r="1"><c><v>1</v></c></row>`), "is no XLSX workbook that can be opened"},
		"breaks off":             {book(`<row r="1"><c r="A1"><v>1</v></c>`), "is no XLSX workbook that can be opened"},
		"too many cells": {
			book("<row>" + strings.Repeat("<c/>", 1<<20+1) + "</row>"), "has more than 10000 movements: send a shorter period",
		},
		"texts without end": {
			book(strings.Repeat(`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>0</v></c></row>`, 20),
				`<sst><si><t>`+strings.Repeat("A", 1<<20)+`</t></si></sst>`),
			"has more than 10000 movements: send a shorter period",
		},
		"more texts than a machine has room for": {
			book(`<row r="1"><c r="A1" t="s"><v>0</v></c></row>`, `<sst count="1000000000000"><si><t>A</t></si></sst>`),
			"is no XLSX workbook that can be opened",
		},
		"fewer texts than none": {
			book(`<row r="1"><c r="A1" t="s"><v>0</v></c></row>`, `<sst count="-1"><si><t>A</t></si></sst>`), "is no XLSX workbook that can be opened",
		},
		"formats without end": {
			book("", "", `<styleSheet><numFmts><numFmt formatCode="`+strings.Repeat("x", 1<<10)+`"/></numFmts></styleSheet>`), "is no XLSX workbook that can be opened",
		},
		"too many formats": {
			book("", "", "<styleSheet>"+strings.Repeat("<xf/>", 1<<17)+"</styleSheet>"), "has more than 10000 movements: send a shorter period",
		},
		"elements without end": {book(strings.Repeat("<a>", 1<<10) + strings.Repeat("</a>", 1<<10)), "is no XLSX workbook that can be opened"},
		"unpacks to much": {
			book(strings.Repeat(" ", 65<<20)), "has more than 10000 movements: send a shorter period",
		},
	} {
		lines, err := bankstatement.Read(t.Context(), []byte(file.content), moscow)
		var got []string
		for _, line := range lines {
			layout := "02.01.2006"
			if line.Timed {
				layout += " 15:04:05"
			}
			got = append(got, fmt.Sprintf("%d %s %s %s", line.Number, line.At.Format(layout), line.Amount.StringFixed(2), line.Text))
		}
		if err != nil {
			got = []string{err.Error()}
		}
		testenv.Check(t, strings.Join(got, "; ") == file.want, "%s:\n%s, want\n%s", name, strings.Join(got, "; "), file.want)
	}
}

// A number with millions of digits, which a workbook packs into a few
// kilobytes, keeps no processor busy for minutes: it is not calculated with.
func TestDigitsWithoutEnd(t *testing.T) {
	testenv.OneByOne(t)
	const wrong = `has a line 2 whose amount cannot be read: "9999999999999999999999999999999999999999…"`
	digits := strings.Repeat("9", 15<<20)
	for name, content := range map[string]string{
		"csv": "Дата;Сумма\n20.11.2026;" + digits + "\n",
		"1C":  "1CClientBankExchange\n" + document("Сумма="+digits),
		"xlsx": book(`<row r="1"><c r="A1" t="inlineStr"><is><t>Дата</t></is></c><c r="C1" t="inlineStr"><is><t>Сумма</t></is></c></row>` +
			`<row r="2"><c r="A2" t="inlineStr"><is><t>20.11.2026</t></is></c><c r="C2"><v>` + digits + `</v></c></row>`),
	} {
		read := make(chan error, 1)
		go func() { read <- testenv.ErrOf(bankstatement.Read(t.Context(), []byte(content), moscow)) }()
		testenv.Until(t, "the digits of "+name+" are refused", func() bool { return len(read) == 1 })
		testenv.Want(t, (<-read).Error(), wrong, "%s", name)
	}
}

func document(lines ...string) string {
	return "СекцияДокумент=Платежное поручение\n" + strings.Join(lines, "\n") + strings.Repeat("\n", 11-len(lines)) + "КонецДокумента\n"
}

func windows(text string) string {
	encoded, _ := charmap.Windows1251.NewEncoder().String(strings.ReplaceAll(text, "₽", "р."))
	return encoded
}

// book is a workbook with the rows of one sheet, and with shared texts and
// formats where they are given.
func book(rows string, more ...string) string {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	files := map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>`,
		"xl/styles.xml":            `<styleSheet></styleSheet>`,
		"xl/worksheets/sheet1.xml": `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	}
	for i, name := range []string{"xl/sharedStrings.xml", "xl/styles.xml"}[:len(more)] {
		files[name] = more[i]
	}
	for name, text := range files {
		w, _ := archive.Create(name)
		_, _ = w.Write([]byte(text))
	}
	_ = archive.Close()
	return file.String()
}

// What was paid has its line before what was not; a line is one payment's; a
// day without a time allows all of it, and a bank's clock may be ten minutes
// behind.
func TestMatch(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, moscow)
	line := func(after time.Duration, amount string, timed bool) bankstatement.Line {
		return bankstatement.Line{At: noon.Add(after), Timed: timed, Amount: decimal.RequireFromString(amount)}
	}
	lines := []bankstatement.Line{
		line(time.Minute, "500", true), line(2*time.Minute, "500", true), line(-12*time.Hour, "700", false),
		line(-11*time.Minute, "900", true), line(time.Minute, "-300", true), line(49*time.Hour, "800", true), line(-9*time.Minute, "600", true),
	}
	payment := func(amount string, paid bool) bankstatement.Payment {
		return bankstatement.Payment{Amount: decimal.RequireFromString(amount), CreatedAt: noon, Paid: paid}
	}
	found := bankstatement.Match(lines, []bankstatement.Payment{
		payment("500", false), payment("500.00", true), payment("500", true), payment("700", true), payment("900", true),
		payment("300", true), payment("800", true), payment("600", false),
	})
	testenv.Check(t, fmt.Sprint(found) == "[-1 0 1 2 -1 -1 -1 6]", "lines %v", found)
}

// A line with a day and no time is of the whole day, also where clocks are put
// forward at its midnight.
func TestDayWithoutMidnight(t *testing.T) {
	t.Parallel()
	for zone, c := range map[string]struct{ day, noon string }{
		"America/Santiago": {"6.9.2026", "2026-09-06T15:00:00Z"},
		"Africa/Cairo":     {"24.04.2026 00:00:00", "2026-04-24T10:00:00Z"},
	} {
		lines := testenv.Must(bankstatement.Read(t.Context(), []byte("Дата;Сумма\n"+c.day+";100\n"),
			testenv.Must(time.LoadLocation(zone))(t)))(t)
		noon := testenv.Must(time.Parse(time.RFC3339, c.noon))(t)
		for hours, found := range map[time.Duration]int{0: 0, 11: 0, 13: -1} {
			paid := bankstatement.Payment{Amount: decimal.NewFromInt(100), CreatedAt: noon.Add(hours * time.Hour), Paid: true}
			testenv.Want(t, bankstatement.Match(lines, []bankstatement.Payment{paid})[0], found, "%s, %d hours after noon", zone, hours)
		}
	}
}
