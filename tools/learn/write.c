/* SPDX-License-Identifier: MIT */
/* write.c - the source of wl_learned: traits in order of their hash, weights as small numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "lesson.h"

enum { MOST = 127, ROW = 16 };

struct row {
	uint32_t hash, trait;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static float unit_of(const struct lesson *l)
{
	float most = 0;

	for (size_t i = 0; i < l->n_traits * LESSON_WIDTH; i++)
		most = fabsf(l->weight[i]) > most ? fabsf(l->weight[i]) : most;
	return most > 0 ? most / MOST : 1;
}

static int units(const struct lesson *l, size_t t, size_t v, float unit)
{
	return (int)lrintf(l->weight[t * LESSON_WIDTH + v] / unit);
}

static size_t count(const struct lesson *l, size_t t, float unit)
{
	size_t n = 0;

	for (size_t v = 0; v < l->n_verbs; v++)
		n += units(l, t, v, unit) != 0;
	return n;
}

/* One number of an array of them. */
static void put(FILE *out, size_t *n, int64_t value)
{
	(void)fprintf(out, "%s%" PRId64 ",", *n % ROW ? " " : "\n\t", value);
	*n += 1;
}

static void begin(FILE *out, const char *declaration)
{
	(void)fprintf(out, "static const %s[] = {", declaration);
}

static void end(FILE *out)
{
	(void)fputs("\n};\n", out);
}

static void write_traits(const struct lesson *l, const struct row *row, size_t n_rows, float unit,
			 FILE *out)
{
	size_t n = 0, first = 0;

	begin(out, "uint32_t trait");
	for (size_t i = 0; i < n_rows; i++)
		put(out, &n, row[i].hash);
	end(out);
	n = 0;
	begin(out, "uint8_t count");
	for (size_t i = 0; i < n_rows; i++)
		put(out, &n, (int64_t)count(l, row[i].trait, unit));
	end(out);
	n = 0;
	begin(out, "uint32_t first");
	for (size_t i = 0; i < n_rows; i++) {
		if (i % WL_LEARNED_BLOCK == 0)
			put(out, &n, (int64_t)first);
		first += count(l, row[i].trait, unit);
	}
	end(out);
}

static void write_weights(const struct lesson *l, const struct row *row, size_t n_rows, float unit,
			  bool of, FILE *out)
{
	size_t n = 0;

	begin(out, of ? "uint8_t of" : "int8_t weight");
	for (size_t i = 0; i < n_rows; i++) {
		for (size_t v = 0; v < l->n_verbs; v++) {
			int w = units(l, row[i].trait, v, unit);

			if (w)
				put(out, &n, of ? (int64_t)v : w);
		}
	}
	end(out);
}

static void write_verbs(const struct lesson *l, FILE *out)
{
	begin(out, "char *const verb");
	for (size_t v = 0; v < l->n_verbs; v++)
		(void)fprintf(out, "\n\t\"%s\",", l->verb[v]);
	end(out);
	begin(out, "float bias");
	for (size_t v = 0; v < l->n_verbs; v++)
		(void)fprintf(out, "\n\t%.9eF,", (double)l->bias[v]);
	end(out);
}

void lesson_write(const struct lesson *l, FILE *out)
{
	struct row *row = lesson_new(l->n_traits, sizeof(*row));
	float unit = unit_of(l);
	size_t n = 0;

	for (size_t t = 0; t < l->n_traits; t++) {
		if (l->is_alone[t] || count(l, t, unit))
			row[n++] = (struct row){ l->hash[t], (uint32_t)t };
	}
	qsort(row, n, sizeof(*row), compare);
	(void)fputs("/* Made by tools/learn from data/questions.tsv. */\n#include "
		    "\"agent/route/learned.h\"\n",
		    out);
	write_verbs(l, out);
	write_traits(l, row, n, unit, out);
	write_weights(l, row, n, unit, true, out);
	write_weights(l, row, n, unit, false, out);
	(void)fprintf(out,
		      "const struct wl_learned wl_learned = {\n\tverb, bias, %zu, trait, count, "
		      "first, %zu, of, weight, %.9eF,\n};\n",
		      l->n_verbs, n, (double)unit);
	free(row);
}
