package main

import (
	"bytes"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

var (
	// said is a text that the plug-in has translated, in PHP.
	said = regexp.MustCompile(`_(?:_|e|html__)\(\s*'((?:[^'\\]|\\.)*)',\s*'payment-gateway'`)
	// note is a text of the core.
	note        = regexp.MustCompile(`(?m)^        '\w+' => '((?:[^'\\]|\\.)*)',$`)
	placeholder = regexp.MustCompile(`%(\d\$)?s`)
)

// texts are all that the plug-in says.
func texts(t *testing.T, root fs.FS) []string {
	t.Helper()
	var found []string
	files := testenv.Must(gather(root))(t)
	for name, content := range files {
		pattern := said
		if name == "lib/shop/shop.php" {
			pattern = note
		}
		for _, match := range pattern.FindAllStringSubmatch(string(content), -1) {
			found = append(found, strings.ReplaceAll(match[1], `\'`, `'`))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Every text of the plug-in is in each language, with the same places for
// values, and no language has others.
func TestTranslations(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../../..")
	all := texts(t, root)
	if len(all) < 60 {
		t.Fatalf("the plug-in seems to say %d things", len(all))
	}
	names := testenv.Must(fs.Glob(root, "rpc/php/woocommerce/languages/*.po"))(t)
	if len(names) != 5 {
		t.Errorf("languages: %v", names)
	}
	for _, name := range names {
		translations := testenv.Must(read(testenv.Must(fs.ReadFile(root, name))(t)))(t)
		if !strings.Contains(translations[""], "charset=UTF-8") {
			t.Errorf("%s does not say that it is UTF-8", name)
		}
		delete(translations, "")
		for _, text := range all {
			translated := translations[text]
			if strings.TrimSpace(translated) == "" || translated == text ||
				len(placeholder.FindAllString(text, -1)) != len(placeholder.FindAllString(translated, -1)) {
				t.Errorf("%s: %q is translated as %q", name, text, translated)
			}
			delete(translations, text)
		}
		for text := range translations {
			t.Errorf("%s: nothing says %q any more", name, text)
		}
	}
}

// The same sources make the same zip, and it has what the plug-in needs.
func TestReproducible(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../../..")
	first, second := testenv.Must(build(root))(t), testenv.Must(build(root))(t)
	if !bytes.Equal(first, second) {
		t.Error("two zips of the same sources differ")
	}
	files := testenv.Must(gather(root))(t)
	for _, name := range []string{
		"payment-gateway.php", "uninstall.php", "blocks.js", "readme.txt", "LICENSE", "lib/gateway.php", "lib/shop/shop.php",
		"languages/payment-gateway-ru_RU.mo",
	} {
		if len(files[name]) == 0 {
			t.Errorf("the zip lacks %s", name)
		}
	}
	version := regexp.MustCompile(`(?:Version:|VERSION = '|Stable tag:) *([\d.]+)`)
	found := version.FindAllStringSubmatch(string(files["payment-gateway.php"])+string(files["readme.txt"]), -1)
	if len(found) != 3 || found[0][1] != found[1][1] || found[0][1] != found[2][1] {
		t.Errorf("versions: %q", found)
	}
}
