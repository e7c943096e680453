/* SPDX-License-Identifier: MIT */
/*
 * explorer_map.c - the diagram of the relations: one box per table of the trace, one line per
 * concept for each pair of tables.
 *
 * Boxes are arranged in columns so that most lines lead to a neighbour: names and calls in the
 * middle, the host's tables on one side and the GPU's on the other. Lines are attached to a box in
 * the order of the boxes at their other ends, which avoids most crossings.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/attr.h"
#include "render/explorer/explorer_parts.h"
#include "render/words/markup.h"

enum { N_COLUMNS = 5, MAX_BOXES = 48, MAX_LINES = 128 };
enum { WIDTH = 216, BETWEEN = 56, ROOM = 14, MARGIN = 2, LEAST = 40, PER_LINE = 7, NAME_CUT = 30 };
enum side { LEFT, RIGHT, N_SIDES };

/* Columns from left to right, each from top to bottom. */
static const char *const places[N_COLUMNS][12] = {
	{ "ENUM_NSYS_EVENT_TYPE", "ENUM_NSYS_EVENT_CLASS", "OSRT_CALLCHAINS",
	  "ENUM_SAMPLING_THREAD_STATE", "SAMPLING_CALLCHAINS", "ENUM_DIAGNOSTIC_SEVERITY_LEVEL",
	  "ENUM_DIAGNOSTIC_SOURCE_TYPE" },
	{ "NVTX_EVENTS", "OSRT_API", "SCHED_EVENTS", "COMPOSITE_EVENTS", "PROFILER_OVERHEAD",
	  "CUBLAS_EVENTS", "CUDNN_EVENTS", "MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS",
	  "MPI_OTHER_EVENTS", "MPI_START_WAIT_EVENTS", "DIAGNOSTIC_EVENT" },
	{ "CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA_CALLCHAINS", "CUDA_GRAPH_NODE_EVENTS",
	  "CUDA_GRAPH_EVENTS", "StringIds", "ThreadNames", "PROCESSES", "ProcessStreams",
	  "NET_NIC_METRIC" },
	{ "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
	  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
	  "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "CUDA_GPU_MEMORY_USAGE_EVENTS", "GPU_METRICS",
	  "NIC_ID_MAP", "TARGET_INFO_NETWORK_METRICS" },
	{ "TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_STREAM", "TARGET_INFO_CUDA_DEVICE",
	  "TARGET_INFO_GPU", "TARGET_INFO_GPU_METRICS", "ENUM_CUDA_KERNEL_LAUNCH_TYPE",
	  "ENUM_CUDA_MEMCPY_OPER", "ENUM_CUDA_MEM_KIND", "ENUM_CUPTI_SYNC_TYPE",
	  "TARGET_INFO_NIC_INFO" },
};

struct box {
	const char *name;
	int64_t rows;
	int column;
	double x, y, height;
	unsigned n_lines[N_SIDES];
	bool marks[WL_N_CONCEPTS];
};

struct line {
	const struct wl_relation *relation; /* the first relation of this pair and concept */
	struct box *from, *to;
	enum side leaves, reaches;
	double y1, y2;
};

struct map {
	const struct wl_explorer *e;
	struct box boxes[MAX_BOXES];
	size_t n_boxes;
	struct line lines[MAX_LINES];
	size_t n_lines;
	double width, height;
};

static bool takes_part(const struct wl_explorer *e, const char *table)
{
	for (size_t i = 0; i < wl_n_relations; i++) {
		const struct wl_relation *r = &wl_relations[i];

		if ((strcmp(r->table, table) == 0 || strcmp(r->to_table, table) == 0) &&
		    strcmp(r->table, r->to_table) != 0 && wl_explorer_relates(e, r))
			return true;
	}
	return false;
}

static void add_boxes(struct map *m)
{
	for (int c = 0; c < N_COLUMNS; c++) {
		for (size_t i = 0; i < WL_COUNT(places[c]) && places[c][i]; i++) {
			struct wl_explorer_table t;

			if (!takes_part(m->e, places[c][i]) ||
			    !wl_explorer_find(m->e, places[c][i], &t))
				continue;
			assert(m->n_boxes < MAX_BOXES);
			m->boxes[m->n_boxes++] =
				(struct box){ .name = t.name, .rows = t.rows, .column = c };
		}
	}
}

static struct box *box_of(struct map *m, const char *table)
{
	for (size_t i = 0; i < m->n_boxes; i++) {
		if (strcmp(m->boxes[i].name, table) == 0)
			return &m->boxes[i];
	}
	return NULL;
}

/* A pair has one line per concept, even if related in several ways; a table that refers to itself
 * has none. */
static void add_line(struct map *m, const struct wl_relation *r)
{
	struct line line = { .relation = r,
			     .from = box_of(m, r->table),
			     .to = box_of(m, r->to_table),
			     .leaves = RIGHT,
			     .reaches = RIGHT };

	if (!line.from || !line.to || line.from == line.to)
		return;
	for (size_t i = 0; i < m->n_lines; i++) {
		if (m->lines[i].from == line.from && m->lines[i].to == line.to &&
		    m->lines[i].relation->concept == r->concept)
			return;
	}
	if (line.from->column < line.to->column)
		line.reaches = LEFT;
	else if (line.from->column > line.to->column)
		line.leaves = LEFT;
	line.from->n_lines[line.leaves]++;
	line.to->n_lines[line.reaches]++;
	line.from->marks[r->concept] = line.to->marks[r->concept] = true;
	assert(m->n_lines < MAX_LINES);
	m->lines[m->n_lines++] = line;
}

/* The height of a box follows from its lines; shorter columns are centred vertically. */
static void place_boxes(struct map *m)
{
	double heights[N_COLUMNS] = { 0 };
	double x[N_COLUMNS], y[N_COLUMNS];

	for (size_t i = 0; i < m->n_boxes; i++) {
		struct box *b = &m->boxes[i];
		unsigned most =
			b->n_lines[LEFT] > b->n_lines[RIGHT] ? b->n_lines[LEFT] : b->n_lines[RIGHT];

		b->height = (most + 1) * PER_LINE > LEAST ? (most + 1) * PER_LINE : LEAST;
		heights[b->column] += b->height + (heights[b->column] > 0 ? ROOM : 0);
	}
	m->width = MARGIN;
	for (int c = 0; c < N_COLUMNS; c++) {
		x[c] = m->width;
		if (heights[c] > 0)
			m->width += WIDTH + BETWEEN;
		if (heights[c] + 2 * MARGIN > m->height)
			m->height = heights[c] + 2 * MARGIN;
	}
	for (int c = 0; c < N_COLUMNS; c++)
		y[c] = (m->height - heights[c]) / 2;
	for (size_t i = 0; i < m->n_boxes; i++) {
		struct box *b = &m->boxes[i];

		b->x = x[b->column];
		b->y = y[b->column];
		y[b->column] += b->height + ROOM;
	}
}

/* The box at the line's other end if the line touches this box on this side; else NULL. */
static const struct box *other_end(const struct line *l, const struct box *box, enum side side)
{
	if (l->from == box && l->leaves == side)
		return l->to;
	if (l->to == box && l->reaches == side)
		return l->from;
	return NULL;
}

/* From the top, the n-th of N lines on this side of the box is the one with the n-th highest other
 * end. */
static double place_end(const struct map *m, size_t line, const struct box *box, enum side side)
{
	const struct box *other = other_end(&m->lines[line], box, side);
	unsigned before = 0;

	for (size_t i = 0; i < m->n_lines; i++) {
		const struct box *o = other_end(&m->lines[i], box, side);

		if (o && i != line &&
		    (o->y < other->y || (o == other && i < line) ||
		     (o != other && o->y <= other->y && i < line)))
			before++;
	}
	return box->y + box->height * (before + 1) / (box->n_lines[side] + 1);
}

static void place_lines(struct map *m)
{
	for (size_t i = 0; i < m->n_lines; i++) {
		struct line *l = &m->lines[i];

		l->y1 = place_end(m, i, l->from, l->leaves);
		l->y2 = place_end(m, i, l->to, l->reaches);
	}
}

/* The tooltip of the line: all keys of the pair. */
static void put_line_title(const struct map *m, const struct line *l)
{
	(void)fputs("<title>", m->e->out);
	for (size_t i = 0; i < wl_n_relations; i++) {
		const struct wl_relation *r = &wl_relations[i];

		if (strcmp(r->table, l->from->name) != 0 || strcmp(r->to_table, l->to->name) != 0 ||
		    r->concept != l->relation->concept)
			continue;
		wl_put_element(m->e->out, r == l->relation ? "" : "; ", r->table, " (");
		wl_put_element(m->e->out, "", r->key, ") \u2192 ");
		wl_put_element(m->e->out, "", r->to_table, " (");
		wl_put_element(m->e->out, "", r->to_key, ")");
	}
	(void)fputs("</title>", m->e->out);
}

static void put_line(const struct map *m, const struct line *l)
{
	double x1 = l->from->x + (l->leaves == RIGHT ? WIDTH : 0);
	double x2 = l->to->x + (l->reaches == RIGHT ? WIDTH : 0);
	double out1 = l->leaves == RIGHT ? 1 : -1, out2 = l->reaches == RIGHT ? 1 : -1;
	double bend = l->from->column == l->to->column ? BETWEEN * .8 : BETWEEN * .6;
	double tip = x2 + out2 * 6;

	(void)fprintf(m->e->out, "<g class=\"line k-%s%s\">", wl_concepts[l->relation->concept].key,
		      l->relation->concept == WL_CONCEPT_PROJECTION ? " dashed" : "");
	put_line_title(m, l);
	(void)fprintf(m->e->out,
		      "<path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>"
		      "<path class=\"tip\" d=\"M%.1f %.1fl%.1f -3.5v7z\"/></g>\n",
		      x1, l->y1, x1 + out1 * bend, l->y1, tip + out2 * bend, l->y2, tip, l->y2, x2,
		      l->y2, out2 * 7);
}

/* The name without the prefix that most tables share; the link and the title have the full name. */
static const char *short_name(const char *name)
{
	static const char prefix[] = "CUPTI_ACTIVITY_KIND_";

	return strncmp(name, prefix, sizeof(prefix) - 1) == 0 ? name + sizeof(prefix) - 1 : name;
}

static void put_box(const struct map *m, const struct box *b)
{
	FILE *out = m->e->out;
	double middle = b->y + b->height / 2;

	(void)fputs("<a class=\"box", out);
	for (int i = 0; i < WL_N_CONCEPTS; i++) {
		if (b->marks[i])
			(void)fprintf(out, " k-%s", wl_concepts[i].key);
	}
	wl_put_element(out, "\" href=\"#table-", b->name, "\">");
	wl_put_element(out, "<title>", b->name, "</title>");
	(void)fprintf(out,
		      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" rx=\"4\"/>"
		      "<text x=\"%.1f\" y=\"%.1f\">",
		      b->x, b->y, WIDTH, b->height, b->x + 8, middle - 2);
	wl_put_markup_cut(out, short_name(b->name), NAME_CUT);
	(void)fprintf(out,
		      "</text><text class=\"small\" x=\"%.1f\" y=\"%.1f\">%" PRId64
		      " row%s</text></a>\n",
		      b->x + 8, middle + 13, b->rows, b->rows == 1 ? "" : "s");
}

void wl_explorer_put_map(const struct wl_explorer *e)
{
	struct map m = { .e = e };

	add_boxes(&m);
	for (size_t i = 0; i < wl_n_relations; i++) {
		if (wl_explorer_relates(e, &wl_relations[i]))
			add_line(&m, &wl_relations[i]);
	}
	place_boxes(&m);
	place_lines(&m);
	(void)fprintf(
		e->out,
		"<figure class=\"map\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"Relations: picture\">\n"
		"<svg role=\"group\" aria-label=\"Tables and their relations\" "
		"aria-describedby=\"map-desc\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">\n"
		"<title>Tables and their relations</title>\n"
		"<desc id=\"map-desc\">A box for each table, with a link to its columns, and "
		"a line from each table to those that its keys lead to. The table below "
		"has all keys.</desc>\n",
		m.width, m.height, m.width);
	for (size_t i = 0; i < m.n_lines; i++)
		put_line(&m, &m.lines[i]);
	for (size_t i = 0; i < m.n_boxes; i++)
		put_box(&m, &m.boxes[i]);
	(void)fputs("</svg>\n</div>\n<figcaption>An arrow leads to the table in which a key is "
		    "found; the dashed one goes by thread and time. CUPTI_ACTIVITY_KIND_ is left "
		    "out of names.</figcaption>\n</figure>\n",
		    e->out);
}
