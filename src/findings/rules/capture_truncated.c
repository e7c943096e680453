/* SPDX-License-Identifier: MIT */
/* capture_truncated.c - a rule: the profiler reports lost events. */
#include "findings/rule.h"
#include "known/exports/losses.h"

WL_DECLARE_RULE(capture_truncated);

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	const struct wl_trace *t = d->run->trace;
	const uint8_t *severity = wl_diagnostics_severity(t);
	const uint32_t *text = wl_diagnostics_text(t);
	struct wl_finding f = { .kind = WL_FINDING_TRACE, .share = -1 };

	for (size_t i = 0; severity && text && i < t->family[WL_F_DIAGNOSTICS].n; i++) {
		const char *said = wl_str(t, text[i]);

		if (!wl_message_tells_loss(severity[i], said))
			continue;
		f.sentence = wl_say(d,
				    "The profiler lost events" WL_STOP
				    "; sums and idle times may be wrong" WL_STOP ": \"%s\"",
				    wl_say_detail(d, said, "?"));
		f.evidence = (struct wl_cmdline){ .verb = "info",
						  .option = { { "section", "diagnostics" } } };
		return wl_rule_state_put_plain(d, rule, &f);
	}
	return true;
}

static const enum wl_column_id columns[] = { WL_DIAGNOSTICS_SEVERITY, WL_DIAGNOSTICS_TEXT,
					     WL_N_COLUMNS };

const struct wl_rule wl_rule_capture_truncated = {
	.columns = columns,
	.code = "capture-truncated",
	.title = "The profiler lost events",
	.fix.action = "Record a shorter range, or fewer kinds of events",
	.fix.advice = "nsys profile --duration=SECONDS or --capture-range=cudaProfilerApi shortens "
		      "the range; --trace=cuda,nvtx records less.",
	.limits = "The trace does not show which events are missing.",
	.apply = apply,
};
