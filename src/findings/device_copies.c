/* device_copies.c - copies within one GPU: device work that may not be needed. */
#include "base/units.h"
#include "derive/derived.h"
#include "facts/codes.h"
#include "findings/rule.h"

static const double much = 0.05; /* of the step */

/* Durations of a track's copies within the device, in its sample. */
static wl_ns sum_of(const struct wl_docket *d, const struct wl_docket_device *track)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	const uint8_t *kind = wl_memcpys_kind(trace);
	size_t lo, hi, tile = 0;
	wl_ns sum = 0;

	if (!kind || !ops.place)
		return 0;
	wl_ops_on_device(trace, &ops, track->lane->device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end;

		if (!wl_copy_is_on_device(kind[i]) ||
		    !wl_op_clip(trace, d->run->scope, &ops, i, &start, &end))
			continue;
		while (tile + 1 < track->lane->n_tiles && track->lane->tile[tile].end <= start)
			tile++;
		if (!track->by_step ||
		    (track->in_sample[tile] && start >= track->lane->tile[tile].begin))
			sum += end - start;
	}
	return sum;
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE };
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	wl_ns best = 0;

	for (size_t t = 0; t < d->n_tracks; t++) {
		wl_ns sum = sum_of(d, &d->track[t]);
		double of_step = d->track[t].length ? (double)sum / (double)d->track[t].length : 0;

		if (of_step <= f.share)
			continue;
		f.share = of_step;
		f.track = t;
		best = sum / (wl_ns)d->track[t].n_steps;
	}
	if (f.share < much)
		return true;
	f.sentence = wl_say(d, "Copies within the GPU take %s %s (%s)",
			    wl_fmt_ns(time, best, WL_UNIT_AUTO),
			    d->track[f.track].by_step ? "of each step" : "of the window",
			    wl_fmt_ratio(share, f.share));
	f.evidence = wl_say_where(d, f.track);
	f.evidence = f.evidence ? wl_say(d, "warplens transfers TRACE --where 'kind = DtoD'%s",
					 f.evidence)
				: NULL;
	return wl_docket_put_plain(d, rule, &f);
}

const struct wl_rule wl_rule_device_copies = {
	.code = "device-copies",
	.action = "Avoid the copies: write results where they are needed",
	.advice = "In PyTorch look for contiguous(), clone() and cat(); in DDP use "
		  "gradient_as_bucket_view=True and broadcast_buffers=False.",
	.limits = "Which of them can be avoided cannot be seen.",
	.apply = apply,
};
