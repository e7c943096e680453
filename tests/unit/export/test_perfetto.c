/* SPDX-License-Identifier: MIT */
#include "export/perfetto/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/process/proc.h"
#include "support/random.h"
#include "support/unit.h"

/* --- a file in memory ------------------------------------------------------------------------- */

struct output {
	struct wl_sink sink;
	struct wl_budget budget;
	struct wl_emitter *e;
	FILE *stream;
	char *bytes;
	size_t n;
};

static struct output *begin(wl_ns shift, size_t limit)
{
	struct output *out = calloc(1, sizeof(*out));

	assert_non_null(out);
	out->budget.limit = limit;
	out->stream = open_memstream(&out->bytes, &out->n);
	assert_true(wl_sink_init(&out->sink, out->stream, false));
	out->e = wl_perfetto_open(&out->sink, shift, &out->budget);
	assert_non_null(out->e);
	return out;
}

/* Returns whether it is complete. All that was charged is released. */
static bool end(struct output *out)
{
	bool ok = !out->e->failed;

	out->e->ops->finish(out->e);
	wl_perfetto_close(out->e);
	(void)wl_sink_finish(&out->sink);
	assert_int_equal(fclose(out->stream), 0);
	assert_int_equal(out->budget.used, 0);
	return ok;
}

static void drop(struct output *out)
{
	free(out->bytes);
	free(out);
}

static void add_row(struct output *out, struct wl_emit_row row)
{
	out->e->ops->row(out->e, &row);
}

static void add_slices_row(struct output *out, uint32_t id)
{
	add_row(out, (struct wl_emit_row){ .kind = WL_EMIT_SLICES, .id = id, .name = "row" });
}

static struct wl_emit_slice slice(wl_ns start, wl_ns stop, const char *name, const char *category)
{
	return (struct wl_emit_slice){
		.start = start, .end = stop, .name = name, .category = category
	};
}

static void add(struct output *out, uint32_t row, struct wl_emit_slice s)
{
	out->e->ops->slice(out->e, row, &s);
}

/* --- the 20 events, and their bytes by hand --------------------------------------------------- */

static void add_stream(struct output *out)
{
	const struct wl_emit_arg args[] = {
		{ "registers", WL_ARG_INT, 32, NULL },
		{ "grid", WL_ARG_TEXT, 0, "8x1x1" },
		{ "block", WL_ARG_KEPT_TEXT, 0, "64" },
		{ "delta", WL_ARG_INT, -1, NULL },
	};
	const struct wl_emit_row gpu = {
		.kind = WL_EMIT_GROUP, .id = 1, .name = "GPU 0", .description = "Hopper"
	};
	const struct wl_emit_row stream = {
		.kind = WL_EMIT_SLICES, .id = 2, .parent = 1, .name = "Stream 7"
	};
	static const char gemm[] = "gemm", relu[] = "relu", compute[] = "compute", copy[] = "copy";
	struct wl_emit_slice first, last;

	add_row(out, gpu);
	add_row(out, stream);
	first = slice(1000, 5000, gemm, compute);
	first.flow_in = first.correlation = 300;
	first.has_correlation = true;
	first.args = args;
	first.n_args = WL_COUNT(args);
	add(out, 2, first);
	add(out, 2, slice(2000, 3000, relu, compute));
	add(out, 2, slice(3000, 5000, gemm, NULL));
	add(out, 2, slice(3000, 3000, relu, NULL));
	last = slice(5000, 20000, copy, copy);
	last.flow_out = 7;
	add(out, 2, last);
	add(out, 2, slice(5000, 5000, gemm, compute));
	out->e->ops->close(out->e, 2);
}

static void add_counter_and_thread(struct output *out)
{
	const struct wl_emit_row busy = { .kind = WL_EMIT_COUNTER,
					  .id = 3,
					  .parent = 1,
					  .order = 1,
					  .name = "Busy %",
					  .unit = "%",
					  .decimals = 2 };
	const struct wl_emit_row python = {
		.kind = WL_EMIT_PROCESS, .id = 4, .order = 2, .name = "python", .pid = 4000
	};
	const struct wl_emit_row thread = { .kind = WL_EMIT_THREAD,
					    .id = 5,
					    .parent = 4,
					    .name = "main",
					    .pid = 4000,
					    .tid = 4001 };

	add_row(out, busy);
	add_row(out, python);
	add_row(out, thread);
	/* Rows may alternate. */
	add(out, 5, slice(10, 900, "cudaLaunchKernel", NULL));
	out->e->ops->count(out->e, 3, 0, 5000);
	add(out, 5, slice(900, 901, "cudaMalloc", NULL));
	out->e->ops->count(out->e, 3, 1000000, 1);
	out->e->ops->close(out->e, 3);
	out->e->ops->close(out->e, 5);
}

/*
 * Derived by hand from the numbers of the messages: pairs of digits are bytes, what stands
 * between apostrophes is text. A tag is number << 3 | wire: 0 varint, 1 eight bytes, 2 a length
 * and so many bytes.
 */
static const char *const expected[] = {
	/* Sequence 1. sequence id 10: 1, flags 13: 1, first_packet_on_sequence 87,
	   descriptor 60 { uuid 1: 0; process_ordering 19: 1; thread_ordering 20: 1 } */
	"0a12 5001 6801 b80501 e20308 0800 980101 a00101",
	/* Group: uuid 1, name 2, child_ordering 11: 3, rank 12: 0, description 14, merge 15: 2 */
	"0a1c 5001 e20317 0801 1205 'GPU 0' 5803 6000 7206 'Hopper' 7802",
	/* Stream: uuid, name, parent_uuid 5: 1, rank, merge */
	"0a17 5001 e20312 0802 1208 'Stream 7' 2801 6000 7802",

	/* Sequence 2. clock_snapshot 6 { clock { 64: 0, incremental }, clock { 6: 0 }, primary } */
	"0a23 3210 0a06 0840 1000 1801 0a04 0806 1000 1006",
	/* sequence id 2, flags 3, defaults 59 { 11 { track_uuid 11: 2 }, clock 58: 64 } */
	"5002 6803 da0307 5a02 5802 d00340 b80501",

	/* gemm begins: timestamp 8: 1000, sequence id, flags 2; */
	"0a9501 40e807 5002 6802",
	/* interned_data 12 { event_names 2, event_categories 1, debug_annotation_names 3, and
	   debug_annotation_string_values 29, each { iid 1, text 2 } }; */
	"624f 1208 0801 1204 'gemm' 0a0b 0801 1207 'compute' 1a0d 0801 1209 'registers'",
	"1a08 0802 1204 'grid' 1a09 0803 1205 'block' ea0106 0801 1202 '64'",
	"1a09 0804 1205 'delta'",
	/* track_event 11 { type 9: 1, name_iid 10, category_iids 3, correlation_id 52: 300,
	   terminating_flow_ids 48: 300, */
	"5a3b 4801 5001 1801 a003ac02 8103 2c01000000000000",
	/* debug_annotations 4 { name_iid 1, uint 3, or text 6, or text iid 17, or int 4 } } */
	"2204 0801 1820 2209 0802 3205 '8x1x1' 2205 0803 880101",
	"220d 0804 20 ffffffffffffffffff01",
	/* relu begins at 2000 inside of it, and ends at 3000. */
	"0a1b 40e807 5002 6802 620a 1208 0802 1204 'relu' 5a06 4801 5002 1801",
	"0a0b 40e807 5002 6802 5a02 4802",
	/* gemm begins there, and in it relu begins and ends. */
	"0a0c 4000 5002 6802 5a04 4801 5001",
	"0a0c 4000 5002 6802 5a04 4801 5002",
	"0a0a 4000 5002 6802 5a02 4802",
	/* At 5000 both gemm end, copy begins, with flow_ids 47, and in it gemm begins and ends. */
	"0a0b 40d00f 5002 6802 5a02 4802",
	"0a0a 4000 5002 6802 5a02 4802",
	"0a2e 4000 5002 6802 6214 1208 0803 1204 'copy' 0a08 0802 1204 'copy'",
	"5a10 4801 5003 1802 f902 0700000000000000",
	"0a0e 4000 5002 6802 5a06 4801 5001 1801",
	"0a0a 4000 5002 6802 5a02 4802",
	/* copy ends at 20000. */
	"0a0b 409875 5002 6802 5a02 4802",

	/* Counter: counter 8 { unit_name 6, y_axis_share_key 7 } */
	"0a1d 5001 e20318 0803 1206 'Busy %' 4206 3201 '%' 3a01 '%' 2801 6001 7802",
	/* Process: process 3 { pid 1, process_name 6 } */
	"0a22 5001 e2031d 0804 1206 'python' 1a0b 08a01f 3206 'python' 5803 6002 7802",
	/* Thread: thread 4 { pid 1, tid 2, thread_name 5 } */
	"0a23 5001 e2031e 0805 1204 'main' 220c 08a01f 10a11f 2a04 'main' 2804 5803 6000 7802",
	/* Sequence 3 is of the thread, 4 of the counter. */
	"0a23 3210 0a06 0840 1000 1801 0a04 0806 1000 1006",
	"5003 6803 da0307 5a02 5805 d00340 b80501",
	"0a24 400a 5003 6802 6216 1214 0801 1210 'cudaLaunchKernel' 5a04 4801 5001",
	"0a23 3210 0a06 0840 1000 1801 0a04 0806 1000 1006",
	"5004 6803 da0307 5a02 5803 d00340 b80501",
	/* type 4, double_counter_value 44 */
	"0a14 4000 5004 6802 5a0c 4804 e102 0000000000004940",
	"0a0b 40fa06 5003 6802 5a02 4802",
	"0a1e 4000 5003 6802 6210 120e 0802 120a 'cudaMalloc' 5a04 4801 5002",
	"0a16 40c0843d 5004 6802 5a0c 4804 e102 7b14ae47e17a843f",
	"0a0a 4001 5003 6802 5a02 4802",
};

static unsigned digit(char c)
{
	const char *all = "0123456789abcdef", *at = strchr(all, c);

	assert_true(c != '\0' && at != NULL);
	return (unsigned)(at - all);
}

/* Put the bytes that a line stands for; returns how many. */
static size_t parse(const char *s, unsigned char *to)
{
	size_t n = 0;

	while (*s) {
		if (*s == ' ') {
			s++;
		} else if (*s == '\'') {
			for (s++; *s != '\''; s++)
				to[n++] = (unsigned char)*s;
			s++;
		} else {
			to[n++] = (unsigned char)(digit(s[0]) << 4 | digit(s[1]));
			s += 2;
		}
	}
	return n;
}

static struct output *fixture(void)
{
	struct output *out = begin(0, 0);

	add_stream(out);
	add_counter_and_thread(out);
	assert_true(end(out));
	return out;
}

TEST(bytes_are_as_the_schema_says)
{
	unsigned char line[256];
	struct output *out = fixture();
	size_t at = 0;

	for (size_t i = 0; i < WL_COUNT(expected); i++) {
		size_t n = parse(expected[i], line);

		if (at + n > out->n || memcmp(out->bytes + at, line, n) != 0)
			fail_msg("byte %zu: not %s", at, expected[i]);
		at += n;
	}
	assert_int_equal(at, out->n);
	drop(out);
}

static void write_file(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "wbe");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* perfetto_fixture.txt is what protoc made of the bytes above. */
TEST(protoc_reads_it)
{
	static const char command[] =
		"cd \"$0\" && protoc --decode_raw <in >out && diff \"$1\" out";
	const char *source = getenv("WARPLENS_SOURCE");
	char path[WL_PATH_CAP + 64], text[WL_PATH_CAP + 64];
	const char *const argv[] = { "sh", "-c", command, path, text, NULL };
	struct output *out;
	struct wl_tmpdir dir;
	int code;

	if (!source)
		skip();
	out = fixture();
	assert_int_equal(wl_tmpdir_open(getenv("TMPDIR"), &dir, NULL), WL_OK);
	(void)snprintf(path, sizeof(path), "%s/in", dir.path);
	write_file(path, out->bytes, out->n);
	(void)snprintf(path, sizeof(path), "%s", dir.path);
	(void)snprintf(text, sizeof(text), "%s/tests/support/perfetto_fixture.txt", source);
	assert_int_equal(wl_proc_foreground(argv, -1, &code, NULL), WL_OK);
	wl_tmpdir_close(&dir);
	drop(out);
	if (code == 127)
		skip();
	assert_int_equal(code, 0);
}

/* --- a reader --------------------------------------------------------------------------------- */

struct field {
	uint32_t number;
	uint64_t value; /* of bytes: how many */
	const unsigned char *bytes;
};

static uint64_t get_varint(const unsigned char **p, const unsigned char *end_of)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char c;

		assert_true(*p < end_of);
		c = *(*p)++;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			assert_true(c || !shift); /* as short as can be */
			return v;
		}
	}
	fail_msg("a varint without an end");
	return 0;
}

static struct field next_field(const unsigned char **p, const unsigned char *end_of)
{
	uint64_t tag = get_varint(p, end_of);
	struct field f = { .number = (uint32_t)(tag >> 3) };

	switch (tag & 7) {
	case 0:
		f.value = get_varint(p, end_of);
		break;
	case 1:
		assert_true(end_of - *p >= 8);
		memcpy(&f.value, *p, 8);
		*p += 8;
		break;
	case 2:
		f.value = get_varint(p, end_of);
		assert_true(f.value <= (uint64_t)(end_of - *p));
		f.bytes = *p;
		*p += f.value;
		break;
	default:
		fail_msg("wire type of tag %u", (unsigned)tag);
	}
	return f;
}

/* The n-th field of that number in a message; all zeros without. */
static struct field find(struct field message, uint32_t number, size_t n)
{
	const unsigned char *p = message.bytes, *end_of = p ? p + message.value : NULL;

	while (p < end_of) {
		struct field f = next_field(&p, end_of);

		if (f.number == number && n-- == 0)
			return f;
	}
	return (struct field){ 0 };
}

enum { MAX_SEQUENCES = 8, MAX_NAMES = 64 };

struct seen {
	uint64_t start, end;
	const char *name;
	size_t n_name;
};

/* One row: what a reader of Perfetto makes of its packets. */
struct sequence {
	uint64_t uuid, now;
	struct field name[MAX_NAMES];
	size_t *open, n_open, n; /* open: indexes of slices */
	struct seen *slices;
};

struct reading {
	struct sequence of[MAX_SEQUENCES];
	size_t max_open;
};

static void read_begin(struct sequence *q, struct field packet, struct field event)
{
	struct field interned = find(packet, 12, 0), entry, name;
	struct seen s = { .start = q->now };

	for (size_t i = 0; (entry = find(interned, 2, i)).number; i++) {
		assert_true(find(entry, 1, 0).value < MAX_NAMES);
		q->name[find(entry, 1, 0).value] = find(entry, 2, 0);
	}
	name = q->name[find(event, 10, 0).value];
	assert_int_equal(name.number, 2);
	s.name = (const char *)name.bytes;
	s.n_name = name.value;
	q->open[q->n_open++] = q->n;
	q->slices[q->n++] = s;
}

static void read_packet(struct reading *r, struct field packet)
{
	uint64_t id = find(packet, 10, 0).value;
	struct sequence *q = &r->of[id];
	struct field event = find(packet, 11, 0), defaults = find(packet, 59, 0);

	assert_true(id < MAX_SEQUENCES);
	if (defaults.number) {
		q->uuid = find(find(defaults, 11, 0), 11, 0).value;
		assert_int_equal(find(packet, 13, 0).value, 3);
	}
	if (!event.number)
		return;
	assert_int_equal(find(packet, 13, 0).value, 2);
	assert_true(q->uuid);
	q->now += find(packet, 8, 0).value;
	if (find(event, 9, 0).value == 1) {
		read_begin(q, packet, event);
	} else if (find(event, 9, 0).value == 2) {
		assert_true(q->n_open > 0);
		q->slices[q->open[--q->n_open]].end = q->now;
	}
	if (q->n_open > r->max_open)
		r->max_open = q->n_open;
}

/* Read a file of at most so many slices per sequence; release it. */
static struct reading *read_all(const struct output *out, size_t max_slices)
{
	struct reading *r = calloc(1, sizeof(*r));
	const unsigned char *p = (const unsigned char *)out->bytes, *end_of = p + out->n;

	assert_non_null(r);
	for (size_t i = 0; i < MAX_SEQUENCES; i++) {
		r->of[i].open = calloc(max_slices, sizeof(size_t));
		r->of[i].slices = calloc(max_slices, sizeof(struct seen));
		assert_true(r->of[i].open && r->of[i].slices);
	}
	while (p < end_of) {
		struct field packet = next_field(&p, end_of);

		assert_int_equal(packet.number, 1);
		read_packet(r, packet);
	}
	for (size_t i = 0; i < MAX_SEQUENCES; i++)
		assert_int_equal(r->of[i].n_open, 0);
	return r;
}

static void release(struct reading *r)
{
	for (size_t i = 0; i < MAX_SEQUENCES; i++) {
		free(r->of[i].open);
		free(r->of[i].slices);
	}
	free(r);
}

static void assert_seen(const struct seen *got, struct wl_emit_slice want)
{
	assert_int_equal(got->start, want.start);
	assert_int_equal(got->end, want.end);
	assert_int_equal(got->n_name, strlen(want.name));
	assert_memory_equal(got->name, want.name, got->n_name);
}

/* --- properties ------------------------------------------------------------------------------- */

static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g" };

/* Slices that nest, at times that often meet, in the order that the contract asks for. */
static size_t nest(uint64_t *seed, struct wl_emit_slice *s, size_t cap, wl_ns from, wl_ns to)
{
	size_t n = 0;

	while (n < cap && from <= to) {
		wl_ns start = from + random_between(seed, 0, 2);
		wl_ns stop = start + random_between(seed, 0, 40);

		if (start > to)
			break;
		if (stop > to)
			stop = to;
		s[n++] = slice(start, stop, names[random_below(seed, 7)], NULL);
		if (stop > start && random_below(seed, 2))
			n += nest(seed, s + n, cap - n, start, stop - 1);
		from = stop > start ? stop : stop + random_below(seed, 2);
	}
	return n;
}

TEST(every_slice_comes_back)
{
	enum { CAP = 400, ROWS = 3 };
	static struct wl_emit_slice s[ROWS][CAP];

	for (uint64_t seed = 1, round = 0; round < 200; round++) {
		struct output *out = begin(0, 0);
		size_t n[ROWS], at[ROWS] = { 0 }, left = 0;
		struct reading *r;

		for (uint32_t row = 0; row < ROWS; row++) {
			add_slices_row(out, row + 1);
			n[row] = nest(&seed, s[row], CAP, 1, 1000);
			left += n[row];
		}
		while (left) {
			uint32_t row = random_below(&seed, ROWS);

			if (at[row] < n[row]) {
				add(out, row + 1, s[row][at[row]++]);
				left--;
			}
		}
		for (uint32_t row = 0; row < ROWS; row++)
			out->e->ops->close(out->e, row + 1);
		assert_true(end(out));
		r = read_all(out, CAP);
		for (size_t q = 2; q <= ROWS + 1; q++) {
			size_t row = r->of[q].uuid - 1;

			assert_true(row < ROWS);
			assert_int_equal(r->of[q].n, n[row]);
			for (size_t i = 0; i < n[row]; i++)
				assert_seen(&r->of[q].slices[i], s[row][i]);
		}
		release(r);
		drop(out);
	}
}

TEST(ten_thousand_deep)
{
	enum { N = 10000, LAST = 3 * N };
	struct output *out = begin(0, 0);
	struct reading *r;

	add_slices_row(out, 1);
	for (wl_ns i = 0; i < N; i++)
		add(out, 1, slice(i / 2, LAST - i / 3, names[i % 7], NULL));
	out->e->ops->close(out->e, 1);
	assert_true(end(out));
	r = read_all(out, N);
	assert_int_equal(r->max_open, N);
	for (wl_ns i = 0; i < N; i++)
		assert_seen(&r->of[2].slices[i], slice(i / 2, LAST - i / 3, names[i % 7], NULL));
	release(r);
	drop(out);
}

TEST(names_are_bytes)
{
	enum { LONG = 1 << 20 };
	char *name = malloc(LONG + 1);
	char control[256];
	struct output *out = begin(0, 0);
	struct reading *r;

	assert_non_null(name);
	memset(name, 'x', LONG);
	name[LONG] = '\0';
	for (unsigned i = 1; i < 128; i++)
		control[i - 1] = (char)i;
	(void)snprintf(control + 127, sizeof(control) - 127, "\"\n\r\xf0\x9f\x92\xa9</script>");
	add_row(out,
		(struct wl_emit_row){
			.kind = WL_EMIT_SLICES, .id = 1, .name = name, .description = control });
	add(out, 1, slice(1, 4, name, control));
	add(out, 1, slice(2, 3, control, name));
	add(out, 1, slice(3, 3, "", NULL));
	out->e->ops->close(out->e, 1);
	assert_true(end(out));
	assert_true(out->budget.peak < 10000); /* nothing is copied */
	r = read_all(out, 4);
	assert_seen(&r->of[2].slices[0], slice(1, 4, name, NULL));
	assert_seen(&r->of[2].slices[1], slice(2, 3, control, NULL));
	assert_seen(&r->of[2].slices[2], slice(3, 3, "", NULL));
	release(r);
	drop(out);
	free(name);
}

TEST(the_shift_is_added)
{
	struct output *out = begin(500, 0);
	struct reading *r;

	add_slices_row(out, 1);
	add(out, 1, slice(-500, -100, "a", NULL));
	add(out, 1, slice(0, WL_TIME_MAX, "b", NULL));
	out->e->ops->close(out->e, 1);
	assert_true(end(out));
	r = read_all(out, 2);
	assert_seen(&r->of[2].slices[0], slice(0, 400, "a", NULL));
	assert_seen(&r->of[2].slices[1], slice(500, WL_TIME_MAX + 500, "b", NULL));
	release(r);
	drop(out);
}

/* 500 names in an order of first use that is not that of their addresses. */
static struct output *with_names_at(char (*at)[8], size_t step)
{
	enum { N = 500 };
	struct output *out = begin(0, 0);

	add_slices_row(out, 1);
	for (size_t i = 0; i < N; i++)
		(void)snprintf(at[i * step % N], sizeof(at[0]), "n%zu", i);
	for (size_t i = 0; i < 4 * (size_t)N; i++)
		add(out, 1, slice((wl_ns)i, (wl_ns)i, at[i % N * step % N], NULL));
	out->e->ops->close(out->e, 1);
	assert_true(end(out));
	return out;
}

TEST(no_address_shows)
{
	static char one[500][8], other[500][8];
	struct output *a = with_names_at(one, 1), *b = with_names_at(other, 7);

	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->bytes, b->bytes, a->n);
	drop(a);
	drop(b);
}

/* 200 rows of few events, then one of many. */
TEST(rows_of_many_events_have_short_ids)
{
	enum { N = 200 };
	struct output *out = begin(0, 0);
	const unsigned char *p, *end_of;
	uint64_t sequence = 0, last = 0;

	for (uint32_t id = 1; id <= N + 1; id++) {
		add_row(out, (struct wl_emit_row){ .kind = WL_EMIT_SLICES,
						   .id = id,
						   .name = "row",
						   .n_events = id <= N ? 1 : 1000 });
		add(out, id, slice(1, 2, "a", NULL));
		out->e->ops->close(out->e, id);
	}
	assert_true(end(out));
	p = (const unsigned char *)out->bytes;
	for (end_of = p + out->n; p < end_of;) {
		struct field packet = next_field(&p, end_of);

		if (find(packet, 59, 0).number) {
			last = sequence;
			sequence = find(packet, 10, 0).value;
		}
	}
	assert_int_equal(last, 128 + N - 30 - 1); /* 30 of them had room from 2 on */
	assert_int_equal(sequence, 32);
	drop(out);
}

TEST(any_budget_gives_all_or_fails)
{
	struct output *whole = fixture();
	size_t n_failed = 0, n_whole = 0;

	for (size_t limit = 1; limit <= whole->budget.peak; limit += limit < 64 ? 1 : 16) {
		struct output *out = begin(0, limit);

		add_stream(out);
		add_counter_and_thread(out);
		assert_true(out->budget.peak <= limit);
		if (end(out)) {
			assert_int_equal(out->n, whole->n);
			assert_memory_equal(out->bytes, whole->bytes, out->n);
			n_whole++;
		} else {
			n_failed++;
		}
		drop(out);
	}
	assert_true(n_failed > 0 && n_whole > 0);
	drop(whole);
}
