package bankstatement

import (
	"strings"
	"time"
)

// exchangeHead is the first line of files that banks export for 1C: lines of
// name=value, with a section for each document.
const exchangeHead = "1CClientBankExchange"

// fromExchange reads the documents of an exchange file. A document is incoming
// if the statement's account is the recipient's.
func fromExchange(text string, zone *time.Location) ([]Line, error) {
	var lines []Line
	accounts := map[string]bool{}
	var document map[string]string
	begun := 0
	for i, line := range strings.Split(text, "\n") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case name == "СекцияДокумент":
			document, begun = map[string]string{}, i+1
		case name == "КонецДокумента" && document != nil:
			one, err := fromDocument(document, begun, accounts, zone)
			if err != nil {
				return nil, err
			}
			lines, document = append(lines, one), nil
			if len(lines) > maxLines {
				return nil, errLong
			}
		case document != nil:
			document[name] = value
		case name == "РасчСчет" && value != "":
			accounts[value] = true
		}
	}
	return lines, nil
}

// fromDocument reads a document that began at the line with the number. It is
// incoming if the recipient's account is among the statement's, which the file
// has to name before the document. Without a day on which the money moved, its
// own date counts.
func fromDocument(d map[string]string, number int, accounts map[string]bool, zone *time.Location) (Line, error) {
	moved, ok := parseAmount(d["Сумма"])
	if !ok {
		return Line{}, lineError(number, "amount", d["Сумма"])
	}
	came := accounts[d["ПолучательСчет"]] || accounts[d["ПолучательРасчСчет"]]
	when, other := d["ДатаСписано"], d["Получатель"]
	if came {
		when, other = d["ДатаПоступило"], d["Плательщик"]
	} else {
		moved = moved.Neg()
	}
	if when == "" {
		when = d["Дата"]
	}
	at, timed, ok := parseTime(when, zone)
	if !ok {
		return Line{}, lineError(number, "date", when)
	}
	about := strings.TrimSpace(other + " " + d["НазначениеПлатежа"])
	return Line{number, at, timed, moved, cut(about, maxText)}, nil
}
