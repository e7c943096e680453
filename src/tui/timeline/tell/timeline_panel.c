/* SPDX-License-Identifier: MIT */
/* timeline_panel.c - the right panel: where the time of the range went. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"
#include "known/glyphs.h"
#include "known/kernels/cuts.h"
#include "render/words/spelling.h"
#include "tui/timeline/tell/timeline_tell.h"

/* The panel from top to bottom. */
enum { NAME_WIDTH = 64, SCRATCH = 1 << 20 };

struct panel {
	struct wl_timeline *t;
	struct wl_screen *s;
	int x, y, width, end;
};

static const struct wl_style dim = { WL_INK_DIM, WL_INK_DEFAULT, 0 };
static const struct wl_style bold = { WL_INK_DEFAULT, WL_INK_DEFAULT, WL_ATTR_BOLD };

static void put_line(struct panel *p, struct wl_style style, const char *text)
{
	if (p->y < p->end)
		(void)wl_screen_label(p->s, p->x, p->y, p->width, style, text);
	p->y++;
}

/* A line that ends at the right edge. */
static void put_both(struct panel *p, struct wl_style style, const char *left, const char *right)
{
	int n = (int)wl_utf8_width(right);

	if (p->y < p->end && n < p->width) {
		(void)wl_screen_label(p->s, p->x, p->y, p->width - n - 1, style, left);
		(void)wl_screen_text(p->s, p->x + p->width - n, p->y, n, style, right);
	}
	p->y++;
}

static void put_rule(struct panel *p)
{
	for (int x = 0; p->y < p->end && x < p->width; x++)
		wl_screen_put(p->s, p->x + x, p->y, 0x2500, dim);
	p->y++;
}

static void put_share(struct panel *p, const char *part, const char *words, wl_ns ns, wl_ns of)
{
	const struct wl_glyph *glyph = wl_glyph_of(part);
	char left[64], right[2 * WL_UNITS_BUF], length[WL_UNITS_BUF], share[WL_UNITS_BUF];

	(void)snprintf(left, sizeof(left), "%s %s", p->s->caps.ascii ? glyph->ascii : glyph->text,
		       words);
	(void)snprintf(right, sizeof(right), "%s %5s", wl_brief_ns(length, ns),
		       wl_brief_share(share, ns, of));
	put_both(p, WL_STYLE_PLAIN, left, right);
}

static void put_range(struct panel *p, const struct wl_range_sums *sums, bool marked,
		      uint32_t device)
{
	char left[96], right[32], a[WL_UNITS_BUF], b[WL_UNITS_BUF], c[WL_UNITS_BUF];

	(void)snprintf(left, sizeof(left), "%s %s", marked ? "RANGE [A..B]" : "VIEW",
		       wl_brief_ns(a, sums->range.end - sums->range.begin));
	if (sums->n_devices == 0)
		(void)snprintf(right, sizeof(right), "no GPU");
	else if (device != WL_NONE)
		(void)snprintf(right, sizeof(right), "of GPU %" PRIu32, device);
	else
		(void)snprintf(right, sizeof(right), "of %zu GPUs", sums->n_devices);
	put_both(p, bold, left, right);
	(void)snprintf(left, sizeof(left), "compute %s  comm %s  idle %s",
		       wl_brief_share(a, sums->compute, sums->length),
		       wl_brief_share(b, sums->exposed_comm, sums->length),
		       wl_brief_share(c, sums->idle, sums->length));
	put_line(p, WL_STYLE_PLAIN, left);
	put_line(p, WL_STYLE_PLAIN, "");
}

/* ---- Kernels: asked for when the range is another one than what was answered ---- */

static int64_t cell(const struct wl_view *view, size_t row, const char *key)
{
	size_t col;

	if (!wl_table_find_col(view->table, key, &col))
		return 0;
	return wl_table_at(view->table, view->rows[row], col).i64;
}

static void take_kernels(void *ctx, const struct wl_document *doc, const struct wl_err *err)
{
	struct wl_timeline *t = ctx;
	struct wl_range_kernels *k = &t->panels.kept->kernels;
	struct wl_spelling spelling;
	const struct wl_view *view;
	size_t col;

	(void)err; /* A range without kernels is no failure: the list is empty. */
	k->question.pending = false;
	k->has_answer = true;
	k->range = k->question.range;
	k->device = k->question.device;
	k->n = 0;
	if (!doc || doc->n_sections == 0 || doc->sections[0].missing)
		return;
	view = &doc->sections[0].view;
	if (!wl_table_find_col(view->table, "name", &col))
		return;
	wl_spelling_init(&spelling, view, WL_UNIT_AUTO);
	wl_spelling_cut(&spelling, col, &(struct wl_spelling_width){ .width = NAME_WIDTH });
	for (; k->n < view->n_rows && k->n < WL_PANEL_KERNELS; k->n++) {
		char unit[WL_UNITS_BUF];

		(void)snprintf(k->at[k->n].name, sizeof(k->at[0].name), "%s",
			       wl_spelling_cell(&spelling, k->n, col, unit));
		k->at[k->n].calls = cell(view, k->n, "calls");
		k->at[k->n].sum = cell(view, k->n, "sum");
		k->at[k->n].avg = cell(view, k->n, "avg");
	}
	wl_spelling_release(&spelling);
}

const struct wl_range_kernels *wl_timeline_kernels(struct wl_timeline *t, struct wl_interval range,
						   uint32_t device)
{
	struct wl_range_kernels *k = &t->panels.kept->kernels;

	if (k->has_answer && k->range.begin == range.begin && k->range.end == range.end &&
	    k->device == device)
		return k;
	if (!k->question.pending) {
		k->question = (struct wl_range_question){ .analysis = "kernels",
							  .naming = "label",
							  .by = "name",
							  .limit = WL_PANEL_KERNELS,
							  .range = range,
							  .device = device };
		wl_range_ask(t, &k->question, WL_ASK_PANEL, take_kernels);
	}
	return NULL;
}

/* The names of n kernels in a width; false without memory. */
static bool cut_names(const struct wl_range_kernels *k, size_t n, size_t width,
		      struct wl_arena *arena, const char **ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = k->at[i].name;
	return wl_names_cut(ret, n, &(struct wl_cut_opts){ .width = width }, arena, ret);
}

/* What stands behind the name of a kernel in the list. */
static void say_figures(const struct wl_range_kernels *k, size_t i, char *buf, size_t size)
{
	char sum[WL_UNITS_BUF], avg[WL_UNITS_BUF];

	(void)snprintf(buf, size, "%" PRId64 " %6s %6s", k->at[i].calls,
		       wl_short_ns(sum, k->at[i].sum), wl_short_ns(avg, k->at[i].avg));
}

static void put_kernels(struct panel *p, struct wl_interval range, uint32_t device)
{
	const struct wl_range_kernels *k = wl_timeline_kernels(p->t, range, device);
	/* The other lists take about 20 lines; on a low screen this one gives way. */
	size_t shown = p->end - p->y > 20 + WL_PANEL_KERNELS ? WL_PANEL_KERNELS : 4;
	const char *name[WL_PANEL_KERNELS];
	struct wl_arena scratch;
	size_t widest = 0;
	char right[96];

	shown = !k ? 0 : k->n < shown ? k->n : shown;
	for (size_t i = 0; i < shown; i++) {
		say_figures(k, i, right, sizeof(right));
		widest = strlen(right) > widest ? strlen(right) : widest;
	}
	wl_arena_init(&scratch, SCRATCH);
	widest = (size_t)p->width > widest ? (size_t)p->width - widest - 1 : 0;
	if (shown && !cut_names(k, shown, widest, &scratch, name))
		shown = 0;
	put_line(p, bold, "KERNELS IN RANGE (by GPU time)");
	put_both(p, dim, "name", "n  total    avg");
	for (size_t i = 0; i < shown; i++) {
		say_figures(k, i, right, sizeof(right));
		put_both(p, WL_STYLE_PLAIN, name[i], right);
	}
	wl_arena_release(&scratch);
	if (!k || k->n == 0)
		put_line(p, dim, k ? "none" : "\u2026");
	put_rule(p);
}

/* ---- Waits ---- */

static void put_waits(struct panel *p, const struct wl_range_sums *sums)
{
	bool done[WL_N_CAUSES] = { false };

	put_both(p, bold, "EXPOSED", "of range");
	put_share(p, "exposed_comm", "exposed comm", sums->exposed_comm, sums->length);
	put_share(p, "exposed_copy", "exposed copy", sums->exposed_copy, sums->length);
	put_both(p, bold, "IDLE CAUSES IN RANGE", "of range");
	if (!sums->has_causes) {
		put_line(p, dim, "\u2026");
		return;
	}
	/* The longest first; there are few causes, and on a low screen fewer. */
	for (int shown = p->end - p->y > 16 ? WL_N_CAUSES : 4; shown > 0; shown--) {
		int best = -1;

		for (int c = 0; c < WL_N_CAUSES; c++) {
			if (!done[c] && sums->cause[c] > 0 &&
			    (best < 0 || sums->cause[c] > sums->cause[best]))
				best = c;
		}
		if (best < 0)
			break;
		done[best] = true;
		put_share(p, wl_cause_name((enum wl_cause)best), wl_cause_name((enum wl_cause)best),
			  sums->cause[best], sums->length);
	}
	if (sums->idle == 0)
		put_line(p, dim, "none");
}

/* ---- Ranks ---- */

size_t wl_rank_waits(const struct wl_scene *scene, uint32_t it, struct wl_rank_wait *ret,
		     size_t cap)
{
	wl_ns least = INT64_MAX;
	size_t n = 0;

	for (size_t i = 0; i < scene->tracks.n && n < cap; i++) {
		uint32_t device = scene->tracks.at[i].device;
		const struct wl_process_iters *iters;
		const struct wl_iteration *at;

		if (wl_holds(&scene->tracks.at[i]) != WL_HOLDS_GPU_TIME)
			continue;
		iters = wl_device_iters(scene, device);
		if (!iters || it >= iters->n)
			continue;
		at = &iters->at[it];
		/* Who ends later waits less; the common last end cancels out with the least. */
		ret[n].device = device;
		ret[n].wait = wl_exposed_in(scene, device, WL_COMM, at->tile.begin, at->last_end) -
			      at->last_end;
		least = ret[n].wait < least ? ret[n].wait : least;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		ret[i].wait -= least;
	return n;
}

static void put_wait(struct panel *p, const struct wl_rank_wait *rank, wl_ns most)
{
	enum { BAR = 12 };
	int bar = (int)(BAR * (double)rank->wait / (double)most);
	char text[96], length[WL_UNITS_BUF];

	(void)snprintf(text, sizeof(text), "G%" PRIu32, rank->device);
	(void)wl_screen_text(p->s, p->x, p->y, 4, WL_STYLE_PLAIN, text);
	for (int x = 0; x < bar; x++)
		wl_screen_put(p->s, p->x + 4 + x, p->y, 0x2587, WL_STYLE_PLAIN);
	(void)snprintf(text, sizeof(text), "%s%s", wl_brief_ns(length, rank->wait),
		       rank->wait == 0 ? "  \u25c0 slowest" : "");
	(void)wl_screen_label(p->s, p->x + 5 + bar, p->y, p->width - 5 - bar, WL_STYLE_PLAIN, text);
	p->y++;
}

static void put_skew(struct panel *p)
{
	enum { MAX_RANKS = 64 };
	struct wl_rank_wait rank[MAX_RANKS];
	const struct wl_iteration *it;
	char text[96], length[WL_UNITS_BUF];
	size_t number, of, n;
	wl_ns most = 0;

	it = wl_timeline_iteration(p->t, &number, &of);
	if (!it)
		return;
	n = wl_rank_waits(wl_timeline_scene(p->t), (uint32_t)number, rank, MAX_RANKS);
	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		most = rank[i].wait > most ? rank[i].wait : most;
	put_rule(p);
	(void)snprintf(text, sizeof(text), "RANK SKEW in step %zu", number);
	put_both(p, bold, text, "waits for others");
	/* Less than 1% of the iteration is no reason to name a GPU. */
	if (most < (it->tile.end - it->tile.begin) / 100) {
		(void)snprintf(text, sizeof(text), "even, within %s", wl_brief_ns(length, most));
		put_line(p, WL_STYLE_PLAIN, text);
		return;
	}
	for (size_t i = 0; i < n && p->y < p->end; i++)
		put_wait(p, &rank[i], most);
}

static void put_bookmarks(struct panel *p)
{
	size_t n = wl_app_n_bookmarks(p->t->app);
	char text[160];

	if (n == 0)
		return;
	put_rule(p);
	put_line(p, bold, "BOOKMARKS");
	for (size_t i = 0; i < n && i < 9; i++) {
		const struct wl_bookmark *b = wl_app_bookmark(p->t->app, i);

		(void)snprintf(text, sizeof(text), "%zu %.120s", i + 1,
			       *b->note     ? b->note
			       : *b->kernel ? b->kernel
					    : b->row);
		put_line(p, WL_STYLE_PLAIN, text);
	}
}

void wl_timeline_draw_panel(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l)
{
	struct panel p = { .t = t,
			   .s = s,
			   .x = l->panel_x,
			   .y = l->panel_y,
			   .width = l->panel_width - 1,
			   .end = l->panel_y + l->panel_rows };
	uint32_t device;
	struct wl_interval range;
	struct wl_range_sums sums;
	bool marked;

	if (!wl_timeline_is_ready(t) || !t->panels.kept || p.width < 16)
		return;
	device = wl_timeline_device(t);
	marked = wl_timeline_range(t, &range);
	wl_range_sums_of(wl_timeline_scene(t), device, range, &sums);
	put_range(&p, &sums, marked, device);
	put_kernels(&p, range, device);
	put_waits(&p, &sums);
	put_skew(&p);
	put_bookmarks(&p);
}
