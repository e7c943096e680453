/*
 * exposed_copy.c - the other copies that nothing hides, by direction and size: what helps
 * depends on these.
 */
#include "facts/codes.h"
#include "findings/rule.h"

enum sort { SMALL, TO_DEVICE, TO_HOST, PEER, OTHER, N_SORTS };

static enum sort sort_of(const struct wl_atom *atom)
{
	if (atom->flags & WL_LOST_TO_SMALL)
		return SMALL;
	switch (atom->copy) {
	case WL_COPY_H2D:
		return TO_DEVICE;
	case WL_COPY_D2H:
		return TO_HOST;
	case WL_COPY_P2P:
	case WL_COPY_D2D: /* of two devices: within one it is no copy (classes.h) */
		return PEER;
	default:
		return OTHER;
	}
}

static bool wants(const void *ctx, const struct wl_docket_device *track, const struct wl_atom *atom)
{
	const enum sort *sort = ctx;

	(void)track;
	return atom->loss == WL_LOSS_EXPOSED_COPY && sort_of(atom) == *sort;
}

struct words {
	const char *subject, *what;
	struct wl_advice often, once;
};

#define START_LATER                                                                                \
	"If this is set-up, warm up before profiling, or start the capture later with --delay or " \
	"cudaProfilerStart."

static const struct words words[N_SORTS] = {
	[SMALL] = { "small copies",
		    "Small copies (at most 64 KiB each) are not overlapped with compute",
		    { "Batch the small copies into one",
		      "Pack the data into one buffer, or pass scalars as kernel arguments; each "
		      "copy costs a few microseconds whatever its size." },
		    { "Batch the small copies into one", START_LATER } },
	[TO_DEVICE] = { "host to device",
			"Copies to the GPU are not overlapped with compute",
			{ "Prefetch on a stream of its own, while the GPU works on earlier data",
			  "Send less (smaller types, only what changed), or keep it on the GPU." },
			{ "Copy earlier, in chunks, while the GPU computes", START_LATER } },
	[TO_HOST] = { "device to host",
		      "Copies to the host are not overlapped with compute",
		      { "Copy results on a stream of its own, and read them one step later",
			"Reduce on the GPU first, so that less has to be copied." },
		      { "Copy results in chunks while the GPU computes", START_LATER } },
	[PEER] = { "between GPUs",
		   "Copies between GPUs are not overlapped with compute",
		   { "Start them as soon as the data is ready, on a stream of their own",
		     "Check that peer access is on (cudaDeviceEnablePeerAccess), or copies go "
		     "through the host." },
		   { "Start them as soon as the data is ready, on a stream of their own",
		     START_LATER } },
	[OTHER] = { "other copies",
		    "Copies are not overlapped with compute",
		    { "Copy on a stream of its own, one step ahead", "Copy less." },
		    { "Copy on a stream of its own", START_LATER } },
};

static bool put(const struct wl_rule *rule, struct wl_docket *d, const struct wl_claim *c,
		const struct words *w)
{
	size_t t = wl_claim_track(d, c);
	bool once = d->track[t].by_step ? c->is_rare[t] : c->n[t] < WL_HABIT;
	const char *claim = wl_say_claim(d, c), *parts = wl_say_parts(d, c, "", "unnamed");
	struct wl_rule own = *rule;

	if (!claim || !parts)
		return false;
	own.action = once ? w->once.action : w->often.action;
	own.advice = once ? w->once.advice : w->often.advice;
	return wl_docket_put(d, &own, c, w->subject,
			     wl_say(d, "%s: %s%s%s", w->what, claim, parts,
				    c->always & WL_LOST_TO_PINNED ? " (pinned)" : ""),
			     rule->evidence);
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	for (enum sort s = 0; s < N_SORTS; s++) {
		struct wl_claim claim;

		if (!wl_docket_claim(d, wants, &s, &claim) || !put(rule, d, &claim, &words[s]))
			return false;
	}
	return true;
}

const struct wl_rule wl_rule_exposed_copy = {
	.code = "exposed-copy",
	.limits = "Whether the next kernel needs the data at once cannot be seen.",
	.sight.losses = 1U << WL_LOSS_EXPOSED_COPY,
	.evidence = "transfers TRACE --sort exposed",
	.apply = apply,
};
