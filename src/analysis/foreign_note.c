/* SPDX-License-Identifier: MIT */
#include "analysis/foreign_note.h"

#include "base/text/units.h"
#include "derive/use/foreign_work.h"

void wl_foreign_note(const struct wl_run *run, struct wl_table *out)
{
	const struct wl_foreign_work *all = run->derived->foreign_work;
	char active[WL_UNITS_BUF];

	if (!all || all->most == WL_NONE)
		return;
	wl_table_note_verdict(
		out,
		"counters show SMs active in %s of idle time on GPU %u" WL_STOP ": another "
		"process or untraced work",
		wl_fmt_share(active, all->of[all->most].active.mean / 100), all->most);
}
