/* SPDX-License-Identifier: MIT */
#include "analysis/clock_note.h"

#include "base/text/marks.h"

const struct wl_cmdline wl_clocks_shown = { .verb = "info", .option = { { "section", "clocks" } } };

/* Whether only UTC aligns some hosts; unnamed hosts may be the same one. */
static bool has_utc_only(const struct wl_trace *t)
{
	uint32_t first = WL_NONE;
	bool is_utc = false, is_one = true;

	for (size_t i = 0; i < t->n_files; i++) {
		const struct wl_trace_file *f = &t->files[i];

		if (f->host == WL_NONE)
			continue;
		first = first == WL_NONE ? f->host : first;
		is_one &= f->host == first;
		is_utc |= f->clock_state == WL_CLOCK_UTC;
	}
	return is_utc && !is_one;
}

void wl_clock_note(const struct wl_trace *t, struct wl_table *out)
{
	bool is_refused = false;

	for (size_t i = 0; i < t->n_files; i++)
		is_refused |= t->files[i].clock_state == WL_CLOCK_REFUSED;
	if (is_refused)
		wl_table_note_command(out, &wl_clocks_shown,
				      "arrival times are not compared across hosts: the clocks "
				      "contradict each other (" WL_COMMAND_MARK ")");
	else if (has_utc_only(t))
		wl_table_note_command(
			out, &wl_clocks_shown,
			"some host clocks are aligned by UTC only, to milliseconds: no "
			"collectives link them (" WL_COMMAND_MARK ")");
}
