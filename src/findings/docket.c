#include "findings/docket.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/units.h"
#include "derive/derived.h"
#include "findings/rule.h"

wl_ns wl_docket_step(const struct wl_docket_device *track)
{
	return track->n_steps ? track->length / (wl_ns)track->n_steps : 0;
}

/* The first step warms up, and the last one, which has no period, is not whole. */
static bool choose_sample(struct wl_docket_device *t, struct wl_arena *arena)
{
	const struct wl_ledger_lane *lane = t->lane;
	bool *in = WL_NEW(arena, bool, lane->n_tiles);
	size_t n_whole = 0;

	if (!in)
		return false;
	for (size_t i = 0; i < lane->n_tiles; i++)
		n_whole += lane->tile[i].is_whole;
	t->in_sample = in;
	t->by_step = n_whole > 0;
	t->n_steps = t->by_step ? 0 : 1;
	t->first = WL_NONE;
	for (size_t i = 0; i < lane->n_tiles; i++) {
		const struct wl_tile *tile = &lane->tile[i];

		if (t->by_step && (!tile->is_whole || (tile->iter == 0 && n_whole > 1)))
			continue;
		in[i] = true;
		t->length += tile->length;
		t->n_steps += t->by_step;
		t->first = t->first == WL_NONE ? tile->iter : t->first;
		t->last = tile->iter;
	}
	return true;
}

static bool init_track(struct wl_docket_device *t, const struct wl_ledger_lane *lane,
		       struct wl_arena *arena)
{
	*t = (struct wl_docket_device){ .lane = lane, .left = WL_NEW(arena, wl_ns, lane->n_atoms) };
	if (!t->left || !choose_sample(t, arena))
		return false;
	for (size_t i = 0; i < lane->n_atoms; i++)
		t->left[i] = t->in_sample[lane->atom[i].tile] ? lane->atom[i].ns : 0;
	return true;
}

static bool find_ledger(const struct wl_run *run, struct wl_ledger *ret)
{
	if (!run->memo)
		return wl_ledger_find(run->derived, run->scope, run->arena, ret);
	if (!run->memo->found &&
	    !wl_ledger_find(run->derived, run->scope, run->arena, &run->memo->ledger))
		return false;
	run->memo->found = true;
	*ret = run->memo->ledger;
	return true;
}

bool wl_docket_init(struct wl_docket *d, const struct wl_run *run)
{
	*d = (struct wl_docket){ .run = run };
	wl_vec_init(&d->findings, sizeof(struct wl_finding), wl_arena_budget(run->arena));
	if (!find_ledger(run, &d->ledger))
		return false;
	d->track = WL_NEW(run->arena, struct wl_docket_device, d->ledger.n);
	if (!d->track)
		return false;
	for (size_t i = 0; i < d->ledger.n; i++) {
		if (d->ledger.lane[i].of_device &&
		    !init_track(&d->track[d->n_tracks++], &d->ledger.lane[i], run->arena))
			return false;
	}
	return true;
}

void wl_docket_release(struct wl_docket *d)
{
	wl_vec_release(&d->findings);
}

bool wl_claim_init(struct wl_docket *d, struct wl_claim *ret)
{
	*ret = (struct wl_claim){ .ns = WL_NEW(d->run->arena, wl_ns, d->n_tracks),
				  .extra = WL_NEW(d->run->arena, wl_ns, d->n_tracks) };
	return ret->ns && ret->extra;
}

/* No padding. */
struct detail {
	const char *detail, *stage;
};

/* How much of a claim has which detail. */
struct details {
	struct wl_intern seen;
	struct wl_vec sums; /* wl_ns */
};

static void add_detail(struct details *s, const struct wl_atom *atom, wl_ns ns)
{
	const struct detail key = { atom->detail, atom->stage };
	uint32_t i = wl_intern_put(&s->seen, &key);

	if (i == s->sums.n)
		wl_vec_push(&s->sums, &(wl_ns){ 0 });
	if (i == WL_NONE || s->sums.failed)
		s->sums.failed = true;
	else
		((wl_ns *)s->sums.data)[i] += ns;
}

/* Details are met in the order of atoms, which is the same each time. */
static void choose_detail(const struct details *s, struct wl_claim *claim)
{
	for (size_t i = 0; i < s->sums.n; i++) {
		const struct detail *key = (const struct detail *)s->seen.items.data + i;
		wl_ns ns = ((const wl_ns *)s->sums.data)[i];

		if (!key->detail || ns <= claim->detail_ns)
			continue;
		claim->detail = key->detail;
		claim->stage = key->stage;
		claim->detail_ns = ns;
	}
}

bool wl_docket_claim(struct wl_docket *d, wl_wants *wants, const void *ctx, struct wl_claim *ret)
{
	struct wl_budget *budget = wl_arena_budget(d->run->arena);
	struct details details;
	bool ok = wl_claim_init(d, ret);

	wl_intern_init(&details.seen, sizeof(struct detail), budget);
	wl_vec_init(&details.sums, sizeof(wl_ns), budget);
	for (size_t t = 0; ok && t < d->n_tracks; t++) {
		struct wl_docket_device *track = &d->track[t];

		for (size_t i = 0; i < track->lane->n_atoms; i++) {
			const struct wl_atom *atom = &track->lane->atom[i];

			if (track->left[i] == 0 || !wants(ctx, track, atom))
				continue;
			ret->ns[t] += track->left[i];
			add_detail(&details, atom, track->left[i]);
			track->left[i] = 0;
		}
	}
	ok = ok && !details.sums.failed;
	if (ok)
		choose_detail(&details, ret);
	wl_vec_release(&details.sums);
	wl_intern_release(&details.seen);
	return ok;
}

struct searched {
	const struct wl_ledger_lane *lane;
	uint32_t tile;
};

static bool is_of_earlier(const void *ctx, size_t i)
{
	const struct searched *s = ctx;

	return s->lane->atom[i].tile < s->tile;
}

wl_ns wl_docket_take(struct wl_docket *d, size_t t, uint32_t tile, enum wl_loss loss, wl_ns most,
		     struct wl_claim *claim)
{
	struct wl_docket_device *track = &d->track[t];
	const struct wl_ledger_lane *lane = track->lane;
	wl_ns taken = 0;

	for (size_t i =
		     wl_lower_bound(lane->n_atoms, is_of_earlier, &(struct searched){ lane, tile });
	     taken < most && i < lane->n_atoms && lane->atom[i].tile == tile; i++) {
		wl_ns ns = track->left[i] < most - taken ? track->left[i] : most - taken;

		if (lane->atom[i].loss != loss || ns == 0)
			continue;
		track->left[i] -= ns;
		taken += ns;
	}
	claim->ns[t] += taken;
	return taken;
}

wl_ns wl_claim_per_step(const struct wl_docket *d, const struct wl_claim *claim, size_t track)
{
	return (claim->ns[track] + claim->extra[track]) / (wl_ns)d->track[track].n_steps;
}

static double share_of(const struct wl_docket *d, const struct wl_claim *claim, size_t t)
{
	wl_ns length = d->track[t].length;

	return length ? (double)(claim->ns[t] + claim->extra[t]) / (double)length : 0;
}

size_t wl_claim_track(const struct wl_docket *d, const struct wl_claim *claim)
{
	size_t best = 0;

	for (size_t i = 1; i < d->n_tracks; i++) {
		if (share_of(d, claim, i) > share_of(d, claim, best))
			best = i;
	}
	return best;
}

const char *wl_say(struct wl_docket *d, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n >= 0)
		text = WL_NEW(d->run->arena, char, (size_t)n + 1);
	va_start(args, fmt);
	if (text)
		(void)vsnprintf(text, (size_t)n + 1, fmt, args);
	va_end(args);
	return text;
}

/* Characters are not cut: bytes 10xxxxxx continue one. */
static const char *shorten(struct wl_docket *d, const char *name)
{
	enum { MOST = 100, HEAD = 64, TAIL = 32 };
	size_t n = strlen(name), head = HEAD, tail;

	if (n <= MOST)
		return name;
	tail = n - TAIL;
	while (head > 0 && ((unsigned char)name[head] & 0xC0) == 0x80)
		head--;
	while (tail < n && ((unsigned char)name[tail] & 0xC0) == 0x80)
		tail++;
	return wl_say(d, "%.*s...%s", (int)head, name, name + tail);
}

const char *wl_say_detail(struct wl_docket *d, const char *detail, const char *other)
{
	const char *name = detail ? shorten(d, detail) : NULL;

	return name ? name : other;
}

/* Where clocks are skewed, no rule can claim idle time. */
static void note_skew(const struct wl_docket *d, struct wl_table *out)
{
	const struct wl_trace *t = d->run->trace;

	for (uint32_t p = 0; p < t->n_processes; p++) {
		if (d->run->scope->process_on[p] && wl_idle_is_skewed(d->ledger.idle, p)) {
			wl_table_note(out,
				      "clocks of GPU and host do not agree (pid %lld): why the "
				      "GPU was idle is not known",
				      (long long)t->processes[p].pid);
			return;
		}
	}
}

void wl_docket_note(const struct wl_docket *d, struct wl_table *out)
{
	char step[WL_UNITS_BUF];
	const struct wl_docket_device *longest = &d->track[0];

	for (size_t i = 1; i < d->n_tracks; i++) {
		const struct wl_docket_device *t = &d->track[i];

		if (t->by_step &&
		    (!longest->by_step || wl_docket_step(t) > wl_docket_step(longest)))
			longest = t;
	}
	note_skew(d, out);
	if (longest->by_step)
		wl_table_note(out, "means over iterations %u to %u, which take %s on average",
			      longest->first, longest->last,
			      wl_fmt_ns(step, wl_docket_step(longest), WL_UNIT_AUTO));
	else
		wl_table_note(out, "no %s: figures are of the whole window",
			      d->run->scope->whole ? "iterations were found"
						   : "iteration lies wholly in it");
}

const char *wl_say_claim(struct wl_docket *d, const struct wl_claim *claim)
{
	size_t t = wl_claim_track(d, claim);
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];

	return wl_say(d, "%s %s (%s) on GPU %u",
		      wl_fmt_ns(time, wl_claim_per_step(d, claim, t), WL_UNIT_AUTO),
		      d->track[t].by_step ? "per step" : "of the window",
		      wl_fmt_ratio(share, share_of(d, claim, t)), d->track[t].lane->device);
}

/* For a shell: in single quotes, out of which each of its own is taken. */
static const char *quote(struct wl_docket *d, const char *s)
{
	char *out = WL_NEW(d->run->arena, char, 4 * strlen(s) + 3), *p = out;

	if (!out)
		return NULL;
	*p++ = '\'';
	for (; *s; s++) {
		if (*s == '\'')
			p = stpcpy(p, "'\\''");
		else
			*p++ = *s;
	}
	*p = '\'';
	return out;
}

/* The iterations of another marker are other iterations. */
static const char *say_where_on(struct wl_docket *d, size_t t, uint32_t device)
{
	const struct wl_docket_device *track = &d->track[t];
	const char *marker = d->run->derived->opts.marker;

	if (!track->by_step)
		return wl_say(d, " --gpu %u", device);
	marker = marker ? quote(d, marker) : "";
	if (!marker)
		return NULL;
	return wl_say(d, " --gpu %u --window iter:%u..%u%s%s", device, track->first, track->last,
		      *marker ? " --marker " : "", marker);
}

const char *wl_say_where(struct wl_docket *d, size_t t)
{
	return say_where_on(d, t, d->track[t].lane->device);
}

bool wl_docket_put_plain(struct wl_docket *d, const struct wl_rule *rule,
			 const struct wl_finding *f)
{
	struct wl_finding put = *f;

	put.code = rule->code;
	put.action = put.action ? put.action : rule->action;
	put.advice = put.advice ? put.advice : rule->advice;
	put.limits = rule->limits;
	wl_vec_push(&d->findings, &put);
	return put.sentence && put.evidence && !d->findings.failed;
}

bool wl_docket_put(struct wl_docket *d, const struct wl_rule *rule, const struct wl_claim *claim,
		   const char *subject, const char *sentence, const char *evidence)
{
	size_t t = wl_claim_track(d, claim);
	struct wl_finding f = { .kind = WL_FINDING_SAVING,
				.subject = subject,
				.track = t,
				.saving = wl_claim_per_step(d, claim, t),
				.share = share_of(d, claim, t),
				.is_elsewhere = claim->is_elsewhere,
				.look_at = claim->look_at,
				.action = claim->action,
				.advice = claim->advice,
				.sentence = sentence };
	const char *where;

	for (size_t i = 0; i < d->n_tracks; i++)
		f.gpu_time += claim->ns[i] + claim->extra[i];
	if (f.gpu_time == 0)
		return true;
	where = say_where_on(d, t, claim->is_elsewhere ? claim->look_at : d->track[t].lane->device);
	f.evidence = where ? wl_say(d, "warplens %s%s", evidence, where) : NULL;
	return wl_docket_put_plain(d, rule, &f);
}
