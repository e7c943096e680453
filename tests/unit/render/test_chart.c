/* SPDX-License-Identifier: MIT */
#include "table/chart.h"

#include "support/doc.h"

enum { ITER, GPU, NAME, WORK, WAIT, SLOW, N_COLS };

static const struct wl_col cols[] = {
	[ITER] = { "iter", "Iter", WL_T_COUNT, WL_KEY, NULL },
	[GPU] = { "device", "GPU", WL_T_COUNT, WL_KEY, NULL },
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, NULL },
	[WORK] = { "compute", "Work", WL_T_NS, WL_SUM, NULL },
	[WAIT] = { "idle", "Wait", WL_T_NS, WL_SUM, NULL },
	[SLOW] = { "outlier", "Slow", WL_T_BOOL, WL_PLAIN, NULL },
};

static const struct wl_chart columns = {
	.kind = WL_CHART_COLUMNS,
	.title = "Iterations",
	.shows = "A column each.",
	.label = "iter",
	.group = "device",
	.flag = "outlier",
	.parts = { "compute", "idle" },
};

static const struct wl_chart stacks = {
	.kind = WL_CHART_STACKS,
	.title = "Time",
	.shows = "A bar each.",
	.label = "device",
	.parts = { "compute", "idle" },
};

static const struct wl_chart sides = {
	.kind = WL_CHART_SIDES,
	.title = "Before and after",
	.shows = "A bar each.",
	.label = "name",
	.parts = { "compute", "idle" },
};

static const struct wl_chart bars = {
	.kind = WL_CHART_BARS,
	.title = "Names",
	.shows = "A bar each.",
	.label = "name",
	.group = "device",
	.parts = { "compute" },
	.also = { "iter" },
	.ranked = true,
};

static const struct wl_chart ranges = {
	.kind = WL_CHART_RANGES,
	.title = "Spread",
	.shows = "A line each.",
	.label = "name",
	.parts = { "compute", "compute", "idle", "idle", "idle" },
};

static const struct wl_chart heat = {
	.kind = WL_CHART_HEAT,
	.title = "Map",
	.shows = "A cell each.",
	.label = "iter",
	.group = "device",
	.parts = { "compute" },
	.also = { "idle" },
};

enum { R_NAME, R_ROOF, R_X, R_Y, R_PEAK, R_SLOPE, R_SHARE, N_ROOF_COLS };

static const struct wl_col roof_cols[] = {
	[R_NAME] = { "name", "Name", WL_T_STR, WL_KEY, NULL },
	[R_ROOF] = { "roof", "Roof", WL_T_ENUM, WL_PLAIN, NULL },
	[R_X] = { "x", "X", WL_T_REAL, WL_PLAIN, NULL },
	[R_Y] = { "y", "Y", WL_T_REAL, WL_PLAIN, NULL },
	[R_PEAK] = { "peak", "Peak", WL_T_REAL, WL_PLAIN, NULL },
	[R_SLOPE] = { "slope", "Slope", WL_T_REAL, WL_PLAIN, NULL },
	[R_SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, NULL },
};

static const struct wl_chart roofline = {
	.kind = WL_CHART_ROOFLINE,
	.title = "Roofs",
	.shows = "A point each.",
	.label = "name",
	.group = "roof",
	.parts = { "x", "y", "peak", "slope" },
	.also = { "share" },
};

static const struct wl_chart *const all[] = { &columns, &stacks, &sides, &bars, &ranges, &heat };

static void put(struct doc *d, int64_t iter, int64_t gpu, const char *name, int64_t work,
		int64_t wait)
{
	wl_table_row(&d->table);
	wl_put_i64(&d->table, ITER, iter);
	wl_put_i64(&d->table, GPU, gpu);
	wl_put_str(&d->table, NAME, name);
	wl_put_i64(&d->table, WORK, work);
	wl_put_i64(&d->table, WAIT, wait);
	wl_put_i64(&d->table, SLOW, wait > work);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		n++;
	return n;
}

/* The picture alone, which must be there. Free it. */
static char *draw_with(struct doc *d, const struct wl_chart *chart, size_t limit)
{
	const struct wl_view_opts view = { .limit = limit };
	const struct wl_render_opts opts = { .width = 0 };
	char *page, *begin, *end, *svg;

	d->section.chart = chart;
	page = doc_render_with(d, "html", &view, &opts);
	begin = strstr(page, "<svg role=\"img\"");
	assert_non_null(begin);
	end = strstr(begin, "</svg>");
	assert_non_null(end);
	assert_int_equal(count(page, "<svg role="), 1);
	assert_non_null(strstr(page, "<figcaption>"));
	assert_non_null(strstr(page, "<table>"));
	svg = strndup(begin, (size_t)(end - begin) + strlen("</svg>"));
	assert_non_null(svg);
	free(page);
	return svg;
}

static char *draw(struct doc *d, const struct wl_chart *chart)
{
	return draw_with(d, chart, 0);
}

/* Python's parser reads it as XML, where there is a Python. */
static void expect_xml(const char *svg)
{
	FILE *python;

	if (system("command -v python3 >/dev/null 2>&1") != 0)
		return;
	python = popen("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.stdin.buffer)'",
		       "w");
	assert_non_null(python);
	assert_int_equal(fwrite(svg, 1, strlen(svg), python), strlen(svg));
	assert_int_equal(pclose(python), 0);
}

/* The sum of an attribute over all boxes of a colour: what they are long. */
static double sum_widths(const char *svg, const char *class)
{
	char tag[64];
	double sum = 0;

	(void)snprintf(tag, sizeof(tag), "<rect class=\"%s\"", class);
	for (svg = strstr(svg, tag); svg; svg = strstr(svg + 1, tag))
		sum += strtod(strstr(svg, " width=\"") + strlen(" width=\""), NULL);
	return sum;
}

/* Within a pixel. */
static void expect_near(double got, double want)
{
	if (got < want - 1 || got > want + 1)
		fail_msg("%f, not %f", got, want);
}

TEST(a_bar_of_shares_is_as_long_as_the_others)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	put(&d, 0, 0, "a", 750, 250);
	put(&d, 0, 1, "b", 30, 10);
	svg = draw(&d, &stacks);
	expect_xml(svg);
	/* 720 pixels, less the names before and the totals behind the bars. */
	expect_near(sum_widths(svg, "b f0"), 2 * 0.75 * 552);
	expect_near(sum_widths(svg, "b f7"), 2 * 0.25 * 552);
	assert_non_null(strstr(svg, "<title>GPU 0: compute 750 ns, 75.0%</title>"));
	assert_non_null(strstr(svg, ">75.0%</text>"));
	assert_non_null(strstr(svg, ">GPU 1</text>"));
}

TEST(sides_are_drawn_to_one_scale)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	put(&d, 0, 0, "compute", 600, 300);
	put(&d, 0, 0, "idle", 400, 200);
	svg = draw(&d, &sides);
	expect_xml(svg);
	expect_near(sum_widths(svg, "b f0"), 0.9 * 552);
	expect_near(sum_widths(svg, "b f7"), 0.6 * 552);
	assert_non_null(strstr(svg, ">1 us</text>")); /* the axis ends where the longer one does */
}

TEST(bars_of_one_name_are_one)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	put(&d, 1, 0, "short", 10, 0);
	put(&d, 2, 0, "long", 40, 0);
	put(&d, 3, 1, "long", 40, 0);
	svg = draw(&d, &bars);
	expect_xml(svg);
	assert_int_equal(count(svg, "<rect"), 3);
	assert_true(strstr(svg, ">long<") < strstr(svg, ">short<"));
	assert_non_null(strstr(svg, "<title>long, GPU 1: 40 ns</title>"));
	assert_non_null(strstr(svg, ">80 ns, 88.9%, 5 iter</text>"));
}

TEST(many_names_share_a_bar)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	for (int i = 0; i < 1000; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "name %d", i);
		put(&d, 0, i, wl_arena_strdup(&d.arena, name), 10, 0);
	}
	svg = draw(&d, &bars);
	assert_int_equal(count(svg, "class=\"e\""), 24);
	assert_non_null(strstr(svg, ">(others)<"));
	assert_non_null(strstr(svg, ">9.77 us, 97.7%"));
}

/* Columns stand by their number: a missing one leaves its place free. */
TEST(columns_stand_by_their_number)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	put(&d, 3, 0, "a", 50, 50);
	put(&d, 5, 0, "a", 20, 30);
	put(&d, 4, 1, "a", 80, 0);
	svg = draw(&d, &columns);
	expect_xml(svg);
	assert_int_equal(count(svg, "<rect class=\"o\""), 3);
	assert_non_null(strstr(svg, "<title>Iter 3: 100 ns, compute 50 ns, idle 50 ns</title>"));
	assert_non_null(strstr(svg, "<title>Iter 5: 50 ns, compute 20 ns, idle 30 ns, stands out"));
	assert_int_equal(count(svg, "<path class=\"s\""), 1);
	assert_non_null(strstr(svg, ">GPU 0</text>"));
	assert_non_null(strstr(svg, ">GPU 1</text>"));
	/* Two panels of 90 pixels: half of the highest column. */
	assert_non_null(strstr(svg, "v-45.00"));
}

TEST(many_columns_are_merged_evenly)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	for (int i = 0; i < 1000; i++)
		put(&d, i, 0, "a", i % 2 ? 100 : 300, 0);
	svg = draw(&d, &columns);
	assert_true(count(svg, "<rect class=\"o\"") <= 200);
	assert_true(strlen(svg) < 60000);
	assert_non_null(strstr(svg, "<title>Iter 0 to 4, mean: 220 ns, "));
	assert_non_null(strstr(svg, "<title>Iter 995 to 999, mean: 180 ns, "));
}

TEST(the_chart_shows_what_the_table_leaves_out)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	for (int i = 0; i < 8; i++)
		put(&d, i, 0, "a", 100, 0);
	svg = draw_with(&d, &columns, 2);
	assert_int_equal(count(svg, "<rect class=\"o\""), 8);
}

static void put_roof(struct doc *d, const char *name, const char *roof, double x, double y)
{
	wl_table_row(&d->table);
	wl_put_str(&d->table, R_NAME, name);
	wl_put_str(&d->table, R_ROOF, roof);
	wl_put_f64(&d->table, R_X, x);
	wl_put_f64(&d->table, R_Y, y);
	wl_put_f64(&d->table, R_PEAK, 10);
	wl_put_f64(&d->table, R_SLOPE, 1000);
	wl_put_f64(&d->table, R_SHARE, 0.25);
}

/* Both axes have two decades, of 316 and 180 pixels each; the corner is in the middle of both. */
TEST(points_are_below_their_roofs)
{
	WITH(struct doc, d, doc_release, doc_init(&d, roof_cols, N_ROOF_COLS));
	FREED char *svg;

	put_roof(&d, "gemm", "compute", 10, 1);
	put_roof(&d, "copy", "DRAM", 1, 1);
	put_roof(&d, "idle", "DRAM", 0, 1); /* no point */
	svg = draw(&d, &roofline);
	assert_non_null(strstr(svg, "cx=\"380.0\" cy=\"388.0\" r=\"13.0\""));
	assert_non_null(strstr(svg, "x=\"51.0\" y=\"375.0\" width=\"26.0\""));
	assert_non_null(strstr(svg, "M64.0 388.0L380.0 208.0"));
	assert_non_null(strstr(svg, "M380.0 208.0L696.0 208.0"));
	assert_non_null(strstr(svg, "gemm: 1 TFLOP/s, 10 FLOP/B, share 25.0%"));
	assert_int_equal(count(svg, "<title>"), 3);
	assert_int_equal(count(svg, "class=\"s\""), 2);
}

/* Kernels that lie on each other and roofs that nearly do: each has its number or its figure. */
TEST(points_of_one_place_are_all_numbered)
{
	WITH(struct doc, d, doc_release, doc_init(&d, roof_cols, N_ROOF_COLS));
	char *svg, number[32];

	for (int i = 0; i < 24; i++)
		put_roof(&d, "gemm", "compute", 10 + i / 8.0, 1 + i / 16.0);
	svg = draw(&d, &roofline);
	for (int i = 1; i <= 24; i++) {
		(void)snprintf(number, sizeof(number), ">%d</text>", i);
		assert_non_null(strstr(svg, number));
	}
	assert_int_equal(count(svg, " GB/s</text>"), 1);
	assert_int_equal(count(svg, " TFLOP/s</text>"), 1);
	free(svg);
}

TEST(ranges_are_on_a_logarithmic_axis)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	put(&d, 0, 0, "a", 1000, 1000000);
	put(&d, 0, 0, "b", 10000, 100000);
	svg = draw(&d, &ranges);
	expect_xml(svg);
	assert_non_null(strstr(svg, ">1 us</text>"));
	assert_non_null(strstr(svg, ">10 us</text>"));
	assert_non_null(strstr(svg, ">1 ms</text>"));
	/* From 1 us to 1 ms is all of it, and from 10 to 100 us a third in the middle. */
	assert_non_null(strstr(svg, "d=\"M10.0 26.0H710.0"));
	assert_non_null(strstr(svg, "d=\"M243.3 66.0H476.7"));
}

/* Of 6.92 ms: levels at 2, 4 and 6 ms; the others are below. */
TEST(a_map_has_a_cell_per_gpu_and_step)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	for (int64_t gpu = 0; gpu < 2; gpu++) {
		for (int64_t step = 0; step < 3; step++)
			put(&d, step, gpu, "x", gpu && step == 2 ? 6920000 : 1000, 0);
	}
	svg = draw(&d, &heat);
	expect_xml(svg);
	assert_int_equal(count(svg, "<title>GPU "), 1);
	assert_non_null(strstr(svg, "<title>GPU 1, step 2: 6.92 ms late</title>"));
	assert_int_equal(count(svg, "class=\"k5\""), 1);
	assert_int_equal(count(svg, "class=\"k0\""), 2);
	assert_non_null(strstr(svg, ">6.92 ms, step 2<"));
	assert_non_null(strstr(svg, ">1 us, step 0<"));
}

TEST(zeros_and_empty_cells_do_no_harm)
{
	for (size_t i = 0; i < WL_COUNT(all); i++) {
		struct doc d;
		char *svg;

		doc_init(&d, cols, N_COLS);
		wl_table_row(&d.table);
		put(&d, 0, 0, "zero", 0, 0);
		put(&d, -7, 0, "negative", -5, -5);
		put(&d, 1, 0, "one", 1, 0);
		put(&d, INT32_MAX, 0, "far", 1, INT64_MAX);
		svg = draw(&d, all[i]);
		expect_xml(svg);
		assert_null(strstr(svg, "nan"));
		assert_null(strstr(svg, "inf"));
		free(svg);
		doc_release(&d);
	}
}

/* What is above 0 is in a panel, or in a row without a number, that is not drawn. */
TEST(panels_without_height_do_no_harm)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *svg;

	for (int i = 0; i < 8; i++)
		put(&d, 0, i, "a", 0, 0);
	put(&d, 0, 8, "a", 10, 10);
	svg = draw(&d, &columns);
	expect_xml(svg);
	assert_null(strstr(svg, "nan"));
	assert_null(strstr(svg, "inf"));
}

TEST(nothing_is_drawn_of_nothing)
{
	for (size_t i = 0; i < WL_COUNT(all); i++) {
		for (int rows = 0; rows < 3; rows++) {
			struct doc d;
			char *page;

			doc_init(&d, cols, N_COLS);
			for (int k = 0; k < rows; k++)
				put(&d, k, 0, "zero", 0, 0);
			d.section.chart = all[i];
			page = doc_render(&d, "html");
			assert_null(strstr(page, "<figure>"));
			free(page);
			doc_release(&d);
		}
	}
}

TEST(a_column_that_is_hidden_leaves_no_chart)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *page;

	put(&d, 0, 0, "a", 10, 10);
	wl_table_hide(&d.table, WAIT);
	d.section.chart = &stacks;
	page = doc_render(&d, "html");
	assert_null(strstr(page, "<figure>"));
}

TEST(hostile_names_stay_text)
{
	FREED char *long_name = hostile_long_name();

	for (size_t i = 0; i < WL_COUNT(all); i++) {
		struct doc d;
		char *svg;

		doc_init(&d, cols, N_COLS);
		for (size_t k = 0; k < WL_COUNT(hostile_names); k++)
			put(&d, (int64_t)k, (int64_t)k, hostile_names[k], 10, 20);
		put(&d, 99, 99, long_name, 10, 20);
		svg = draw(&d, all[i]);
		expect_xml(svg);
		expect_safe(svg, "\n");
		assert_null(strstr(svg, "<script"));
		assert_null(strstr(svg, "<img"));
		assert_null(strstr(svg, "\" onmouseover"));
		assert_true(strlen(svg) < 100000);
		free(svg);
		doc_release(&d);
	}
}

/* ---- Flame graphs ---- */

static const struct wl_chart flame = {
	.kind = WL_CHART_FLAME,
	.title = "Flames",
	.shows = "A box each.",
	.label = "name",
	.group = "name",
	.parts = { "compute", "idle" },
};

/* A row of a tree: its time, and what of that is its own. */
static size_t put_node(struct doc *d, const char *name, int64_t total, int64_t self, int64_t parent)
{
	put(d, 0, 0, name, total, self);
	if (parent >= 0)
		wl_put_parent(&d->table, (size_t)parent);
	return d->table.n_rows - 1;
}

static char *draw_flame(struct doc *d, size_t limit)
{
	const struct wl_view_opts view = { .limit = limit };
	const struct wl_render_opts opts = { .width = 0 };

	d->table.is_tree = true;
	d->section.chart = &flame;
	return doc_render_with(d, "html", &view, &opts);
}

/* How wide all boxes at a height are; those of hatched ones, too. */
static double width_at(const char *page, double y)
{
	char text[32];
	double sum = 0;

	(void)snprintf(text, sizeof(text), " y=\"%.1f\" width=\"", y);
	for (page = strstr(page, text); page; page = strstr(page + 1, text))
		sum += strtod(page + strlen(text), NULL);
	return sum;
}

TEST(boxes_are_below_their_callers_and_a_rest_is_one)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	char *page;
	size_t main_row, step;

	d.table.is_tree = true;
	main_row = put_node(&d, "main", 900, 100, -1);
	(void)put_node(&d, "[no sample]", 100, 100, -1);
	step = put_node(&d, "step", 500, 0, (int64_t)main_row);
	(void)put_node(&d, "read", 300, 300, (int64_t)main_row);
	(void)put_node(&d, "a", 499, 499, (int64_t)step);
	(void)put_node(&d, "b", 1, 1, (int64_t)step);
	page = draw_flame(&d, 0);
	expect_near(width_at(page, 0), 720);
	expect_near(width_at(page, 16), 576); /* its own time is left free */
	expect_near(width_at(page, 32), 359); /* a pixel less is not drawn */
	assert_non_null(strstr(page, "<title>main (main): 900 ns, 90.0%</title>"));
	assert_non_null(strstr(page, "<title>[no sample]: 100 ns, 10.0%</title>"));
	assert_null(strstr(page, "others: "));
	free(page);
	page = draw_flame(&d, 1); /* of each parent one child, and one root */
	assert_non_null(strstr(page, "<title>others: 100 ns</title>"));
	assert_non_null(strstr(page, "<title>others: 300 ns</title>"));
	expect_near(width_at(page, 0), 720);
	expect_near(width_at(page, 16), 576);
	free(page);
}

TEST(a_tree_of_many_frames_is_a_bounded_picture)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	enum { WIDE = 500, DEEP = 200 };
	FREED char *page;
	int64_t parent = -1;

	d.table.is_tree = true;
	for (int i = 0; i < WIDE; i++) {
		int64_t root = (int64_t)put_node(&d, "root", 1000, 0, -1);

		(void)put_node(&d, "inside", 1000, 0, root);
		(void)put_node(&d, "inside", 1000, 1000, root + 1);
	}
	for (int i = 0; i < DEEP; i++)
		parent = (int64_t)put_node(&d, "deep", 500000, i == DEEP - 1 ? 500000 : 0, parent);
	page = draw_flame(&d, 0);
	assert_in_range(count(page, "<rect class=\"b"), 80, 700);
	expect_near(width_at(page, 0), 720);
	assert_non_null(strstr(page, "Only the outermost 80 of 200 levels are drawn."));
}

TEST(a_tree_without_children_has_no_flame_graph)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *page;

	d.table.is_tree = true;
	(void)put_node(&d, "[no sample]", 100, 100, -1);
	page = draw_flame(&d, 0);
	assert_null(strstr(page, "<svg role"));
}
