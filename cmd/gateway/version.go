package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

func (e environment) version(_ context.Context, args []string) error {
	if _, err := newOptions("version", e.getenv, e.stdout, nil).parse(args); err != nil {
		return err
	}
	info, known := debug.ReadBuildInfo()
	if !known {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	_, err := fmt.Fprintln(e.stdout, versionText(info))
	return err
}

// versionText is the version of the module, its revision if known, and the
// version of Go.
func versionText(info *debug.BuildInfo) string {
	text := "gateway"
	if info.Main.Version != "" {
		text += " " + info.Main.Version
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		text += ", revision " + revision
	}
	if settings["vcs.modified"] == "true" {
		text += " with changes"
	}
	return fmt.Sprintf("%s, %s, %s/%s", text, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
