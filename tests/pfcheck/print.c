/* SPDX-License-Identifier: MIT */
#include "print.h"

#include <inttypes.h>
#include <string.h>

static void put_argument(const struct sequence *s, struct span message, FILE *out)
{
	struct field f;
	struct text key = { 0 }, text = { 0 };
	char number[32] = "";

	while (field_next(&message, &f)) {
		double real;

		switch (f.number) {
		case 1:
			key = sequence_text(s, POOL_KEY, &f);
			break;
		case 3:
			(void)snprintf(number, sizeof(number), "%" PRIu64, f.value);
			break;
		case 4:
			(void)snprintf(number, sizeof(number), "%" PRId64, (int64_t)f.value);
			break;
		case 5:
			memcpy(&real, &f.value, sizeof(real));
			(void)snprintf(number, sizeof(number), "%.17g", real);
			break;
		case 10:
			key = field_text(&f);
			break;
		case 17:
			text = sequence_text(s, POOL_VALUE, &f);
			break;
		default:
			text = field_text(&f);
		}
	}
	put_escaped(out, key, ";=");
	(void)fputc('=', out);
	(void)fputs(number, out);
	put_escaped(out, text, ";=");
}

/* The fields of one number, as a list. */
static void put_list(const struct sequence *s, struct span event, uint32_t number, FILE *out)
{
	const char *before = "";
	struct field f;

	(void)fputc('\t', out);
	while (field_next(&event, &f)) {
		if (f.number != number)
			continue;
		(void)fputs(before, out);
		before = ";";
		if (number == 3)
			put_escaped(out, sequence_text(s, POOL_CATEGORY, &f), ";=");
		else if (number == 4)
			put_argument(s, f.span, out);
		else
			(void)fprintf(out, "%" PRIu64, f.value);
	}
}

void print_slice(const struct trace *t, const struct track *k, const struct open_slice *slice,
		 uint64_t duration, uint32_t depth)
{
	const struct sequence *s = &t->sequence[slice->sequence];

	(void)fwrite(k->path, 1, k->n_path, stdout);
	(void)printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t", slice->start, duration, depth);
	put_escaped(stdout, slice->name, "");
	put_list(s, slice->event, 3, stdout);
	put_list(s, slice->event, 47, stdout);
	put_list(s, slice->event, 48, stdout);
	put_list(s, slice->event, 52, stdout);
	put_list(s, slice->event, 4, stdout);
	(void)printf("\t%" PRIu64 "\n", k->uuid);
}

void print_value(const struct track *k, uint64_t time, bool is_real, int64_t integer, double real)
{
	(void)fwrite(k->path, 1, k->n_path, stdout);
	if (is_real)
		(void)printf("\t%" PRIu64 "\t%.17g\t%" PRIu64 "\n", time, real, k->uuid);
	else
		(void)printf("\t%" PRIu64 "\t%" PRId64 "\t%" PRIu64 "\n", time, integer, k->uuid);
}

void print_tracks(const struct tracks *t)
{
	static const char *const kind[] = { "plain", "process", "thread", "counter" };

	for (uint32_t i = 0; i < t->uuid.n; i++) {
		const struct track *k = &t->at[i];

		(void)fwrite(k->path, 1, k->n_path, stdout);
		(void)printf("\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%d\t", kind[k->kind],
			     k->pid, k->tid, k->rank, k->has_events);
		put_escaped(stdout, k->description, "");
		(void)printf("\t%" PRIu64 "\t%" PRIu64 "\n", k->uuid, k->parent);
	}
}

void print_stats(const struct trace *t)
{
	const uint64_t n_bytes = (uint64_t)(t->file.end - t->file.base);

	(void)printf("bytes\t%" PRIu64 "\n", n_bytes);
	(void)printf("packets\t%" PRIu64 "\n", t->n_packets);
	(void)printf("sequences\t%" PRIu32 "\n", t->sequence_id.n);
	(void)printf("tracks\t%" PRIu32 "\n", t->tracks.uuid.n);
	(void)printf("slices\t%" PRIu64 "\n", t->n_slices);
	(void)printf("instants\t%" PRIu64 "\n", t->n_instants);
	(void)printf("values\t%" PRIu64 "\n", t->n_values);
	(void)printf("flows\t%" PRIu32 "\n", t->flow_id.n);
	if (t->n_slices)
		(void)printf("bytes_per_slice\t%.2f\n", (double)n_bytes / (double)t->n_slices);
}
