/* SPDX-License-Identifier: MIT */
#include "ncu/ncu_rep.h"

#include <string.h>

#include "base/attr.h"
#include "ncu/read.h"
#include "support/unit.h"

enum { BUDGET = 1 << 20, CAP = 4096 };

static struct wl_arena arena;

/* Bytes under construction. */
struct bytes {
	unsigned char data[CAP];
	size_t n;
};

static void put(struct bytes *b, const void *data, size_t n)
{
	assert_true(b->n + n <= CAP);
	memcpy(b->data + b->n, data, n);
	b->n += n;
}

static void put_u32(struct bytes *b, size_t v)
{
	const unsigned char le[4] = { (unsigned char)v, (unsigned char)(v >> 8), 0, 0 };

	put(b, le, sizeof(le));
}

static void put_varint(struct bytes *b, uint64_t v)
{
	do {
		unsigned char byte = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));

		put(b, &byte, 1);
		v >>= 7;
	} while (v);
}

static void put_number(struct bytes *b, unsigned field, uint64_t v)
{
	put_varint(b, field << 3);
	put_varint(b, v);
}

static void put_text(struct bytes *b, unsigned field, const void *text, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	put(b, text, n);
}

static void put_message(struct bytes *b, unsigned field, const struct bytes *message)
{
	put_text(b, field, message->data, message->n);
}

static void put_framed(struct bytes *b, const struct bytes *message)
{
	put_u32(b, message->n);
	put(b, message->data, message->n);
}

static struct bytes dims(unsigned x, unsigned y, unsigned z)
{
	struct bytes b = { .n = 0 };

	put_number(&b, 1, x);
	put_number(&b, 2, y);
	put_number(&b, 3, z);
	return b;
}

/* A metric whose value has these bytes behind its key. */
static void put_metric(struct bytes *b, unsigned name, unsigned key, const void *value, size_t n)
{
	struct bytes v = { .n = 0 }, metric = { .n = 0 };

	put_varint(&v, key);
	put(&v, value, n);
	put_number(&metric, 1, name);
	put_message(&metric, 2, &v);
	put_message(b, 13, &metric);
}

/* A kernel with a double, a float, a u64, a text, a metric without a value and unknown fields. */
static struct bytes result(void)
{
	const double seconds = 1500;
	const float part = 0.25F;
	const struct bytes grid = dims(300, 2, 1), block = dims(128, 1, 1);
	struct bytes b = { .n = 0 }, empty = { .n = 0 };

	put_number(&b, 1, 4242);
	put_text(&b, 5, "_Z1k", 4);
	put_text(&b, 7, "k(int)", 6);
	put_message(&b, 10, &grid);
	put_message(&b, 11, &block);
	put_number(&b, 22, 1);
	put_number(&b, 23, 16);
	put_number(&b, 99, 7);
	put_metric(&b, 0, 3 << 3 | 1, &seconds, sizeof(seconds));
	put_metric(&b, 1, 2 << 3 | 5, &part, sizeof(part));
	put_metric(&b, 2, 5 << 3, "\xac\x02", 2); /* 300 */
	put_metric(&b, 3, 1 << 3 | 2, "\x05GB200", 6);
	put_number(&empty, 1, 2);
	put_message(&b, 13, &empty);
	return b;
}

static struct bytes report(unsigned layout)
{
	static const char *const names[] = { "gpu__time_duration.sum", "part", "count", "gpu" };
	const struct bytes source = dims(1, 2, 3), launch = result();
	struct bytes b = { .n = 0 }, head = { .n = 0 }, block = { .n = 0 }, strings = { .n = 0 };

	put(&b, "NVR\0", 4);
	put_number(&head, 1, layout);
	put_framed(&b, &head);
	/* The strings stand in a block behind the one that uses them. */
	put_number(&block, 1, 1);
	put_number(&block, 2, 1);
	put_number(&block, 5, 4 + source.n + 4 + launch.n);
	put_framed(&b, &block);
	put_framed(&b, &source);
	put_framed(&b, &launch);
	for (size_t i = 0; i < WL_COUNT(names); i++)
		put_text(&strings, 1, names[i], strlen(names[i]));
	block.n = 0;
	put_message(&block, 4, &strings);
	put_number(&block, 5, 0);
	put_framed(&b, &block);
	return b;
}

static int parse(const struct bytes *b, size_t n, struct wl_ncu *ret, struct wl_err *err)
{
	wl_arena_init(&arena, BUDGET);
	return wl_ncu_parse("x.ncu-rep", b->data, n, &arena, ret, err);
}

static void done(struct wl_ncu *ncu)
{
	wl_ncu_release(ncu);
	wl_arena_release(&arena);
}

TEST(a_result_is_a_launch)
{
	const struct bytes b = report(7);
	struct wl_ncu ncu;
	struct wl_err err = { .code = WL_OK };
	const struct wl_ncu_launch *l;
	const struct wl_ncu_value *v;

	if (parse(&b, b.n, &ncu, &err) != WL_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(ncu.launches.n, 1);
	l = wl_ncu_launch(&ncu, 0);
	assert_string_equal(l->kernel, "k(int)");
	assert_int_equal(l->pid, 4242);
	assert_int_equal(l->context, 1);
	assert_int_equal(l->stream, 16);
	assert_int_equal(l->grid[0], 300);
	assert_int_equal(l->grid[1], 2);
	assert_int_equal(l->block[0], 128);
	assert_int_equal(l->n, 4);
	v = wl_ncu_values(&ncu, l);
	assert_string_equal(wl_ncu_metric(&ncu, v[0].metric), "gpu__time_duration.sum");
	assert_float_equal(v[0].number, 1500, 0);
	assert_float_equal(v[1].number, 0.25, 0);
	assert_float_equal(v[2].number, 300, 0);
	assert_string_equal(v[3].text, "GB200");
	done(&ncu);
}

TEST(an_unknown_layout_is_refused_by_name)
{
	const struct bytes b = report(8);
	struct wl_ncu ncu;
	struct wl_err err = { .code = WL_OK };

	assert_int_equal(parse(&b, b.n, &ncu, &err), WL_E_FORMAT);
	assert_non_null(strstr(err.msg, "layout 8, and only 7 is known"));
	done(&ncu);
}

/*
 * Its header alone, ten bytes, is a report without launches. The last block only has strings:
 * without it the metrics have no names.
 */
TEST(every_cut_is_refused)
{
	const struct bytes b = report(7);

	for (size_t n = 4; n < b.n; n += n == 9 ? 2 : 1) {
		struct wl_ncu ncu;
		struct wl_err err = { .code = WL_OK };
		int r = parse(&b, n, &ncu, &err);

		if (r != WL_E_FORMAT)
			fail_msg("%zu of %zu bytes: %d", n, b.n, r);
		done(&ncu);
	}
}

TEST(every_byte_may_be_another)
{
	for (size_t i = 0; i < report(7).n; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct bytes b = report(7);
			struct wl_ncu ncu;
			struct wl_err err = { .code = WL_OK };
			int r;

			b.data[i] ^= (unsigned char)(1U << bit);
			r = parse(&b, b.n, &ncu, &err);
			assert_true(r == WL_OK || (r == WL_E_FORMAT && err.code == r));
			done(&ncu);
		}
	}
}
