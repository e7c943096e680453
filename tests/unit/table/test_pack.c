/* SPDX-License-Identifier: MIT */
/* Records and tables as bytes: both come back, and no bytes do any harm. */
#include "table/pack.h"

#include <string.h>

#include "support/unit.h"

enum { NAME, KIND, COUNT, SHARE, FLAG, NEVER, SHELL, N_COLS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_PLAIN, "A word." },
	[COUNT] = { "count", "Count", WL_T_COUNT, WL_SUM, "A count." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "A ratio." },
	[FLAG] = { "flag", "Flag", WL_T_BOOL, WL_PLAIN, "A flag." },
	[NEVER] = { "never", "Never", WL_T_NS, WL_PLAIN, "Nobody puts it." },
	[SHELL] = { "shell", "Shell", WL_T_STR, WL_PROSE | WL_SHELL, "A command." },
};

struct packed {
	struct wl_arena arena;
	struct wl_budget budget;
	struct wl_vec bytes;
};

static void packed_init(struct packed *p)
{
	*p = (struct packed){ .budget = { .limit = 0 } };
	wl_arena_init(&p->arena, 1 << 24);
	wl_vec_init(&p->bytes, 1, &p->budget);
}

static void packed_release(struct packed *p)
{
	wl_vec_release(&p->bytes);
	wl_arena_release(&p->arena);
}

static struct wl_unpack from(const struct packed *p)
{
	return (struct wl_unpack){ .at = p->bytes.data, .left = p->bytes.n };
}

static void make_tree(struct packed *p, struct wl_table *t, size_t n)
{
	const struct wl_cmdline command = wl_cmdline_on(
		(struct wl_cmdline){ .verb = "idle", .option = { { "by", "detail" } } }, 3);

	wl_table_init(t, &p->arena, cols, N_COLS);
	wl_table_tree(t);
	wl_table_hide(t, NEVER);
	wl_table_show_whole(t, NAME);
	for (size_t i = 0; i < n; i++) {
		wl_table_row(t);
		if (i % 3)
			wl_put_parent(t, i / 3);
		wl_put_str(t, NAME, i % 2 ? "\xc3\xa4 name" : "");
		if (i % 5)
			wl_put_str(t, KIND, "kind");
		wl_put_i64(t, COUNT, i % 2 ? INT64_MIN : INT64_MAX);
		wl_put_f64(t, SHARE, 1.0 / (double)(i + 1));
		wl_put_i64(t, FLAG, (int64_t)(i % 2));
		if (i % 4 == 1)
			wl_put_command(t, SHELL, &command);
	}
	wl_table_note(t, "a note with 100 %%");
	wl_table_note(t, "another");
	wl_table_cover(t, "launches_known", 3, 4);
}

TEST(numbers_and_texts_come_back)
{
	WITH(struct packed, p, packed_release, packed_init(&p));
	struct wl_unpack u;

	wl_pack_u64(&p.bytes, UINT64_MAX);
	wl_pack_str(&p.bytes, "text");
	wl_pack_str(&p.bytes, NULL);
	wl_pack_str(&p.bytes, "");
	u = from(&p);
	assert_true(wl_unpack_u64(&u) == UINT64_MAX);
	assert_string_equal(wl_unpack_str(&u), "text");
	assert_null(wl_unpack_str(&u));
	assert_string_equal(wl_unpack_str(&u), "");
	assert_true(wl_unpack_done(&u));
	assert_int_equal(wl_unpack_u64(&u), 0);
	assert_true(u.failed);
}

TEST(a_text_must_be_one)
{
	static const char *const bad[] = { "a\0b", "a\xff", "ab\x01" };
	struct packed p;
	struct wl_unpack u;

	for (size_t i = 0; i < 3; i++) {
		packed_init(&p);
		wl_pack_str(&p.bytes, "abc");
		memcpy((char *)p.bytes.data + 8, bad[i], i == 2 ? 4 : 3);
		((char *)p.bytes.data)[11] = i == 2 ? 'x' : '\0'; /* the last lacks its end */
		u = from(&p);
		assert_null(wl_unpack_str(&u));
		assert_true(u.failed);
		packed_release(&p);
	}
}

TEST(a_table_comes_back)
{
	WITH(struct packed, p, packed_release, packed_init(&p));
	enum { ROWS = 2 * WL_CHUNK_ROWS + 3 };
	struct wl_table t, back;
	struct wl_unpack u;

	make_tree(&p, &t, ROWS);
	wl_table_pack(&t, &p.bytes);
	u = from(&p);
	assert_true(wl_table_unpack(&u, cols, N_COLS, &p.arena, &back));
	assert_true(wl_unpack_done(&u));
	assert_int_equal(back.n_rows, ROWS);
	assert_true(back.is_tree);
	assert_int_equal(back.hidden, t.hidden);
	assert_int_equal(back.whole, 1 << NAME);
	assert_int_equal(back.n_notes, 2);
	assert_string_equal(back.notes->text, "a note with 100 %");
	assert_int_equal(back.n_coverage, 1);
	assert_int_equal(back.coverage[0].of, 4);
	for (size_t row = 0; row < ROWS; row++) {
		assert_int_equal(wl_table_parent(&back, row), wl_table_parent(&t, row));
		for (size_t col = 0; col < N_COLS; col++) {
			struct wl_cell a = wl_table_at(&t, row, col),
				       b = wl_table_at(&back, row, col);

			assert_int_equal(a.set, b.set);
			if (a.set && wl_type_is_text(cols[col].type))
				assert_string_equal(a.str, b.str);
			else if (a.set)
				assert_int_equal(a.i64, b.i64);
		}
	}
	assert_int_equal(back.shell_cells->row % 4, 1);
	assert_int_equal(back.shell_cells->col, SHELL);
	assert_int_equal(back.shell_cells->command.gpu[0], 3);
}

/* The path of the trace is put in later: a note keeps its command, and where that stands. */
TEST(a_note_keeps_its_command)
{
	WITH(struct packed, p, packed_release, packed_init(&p));
	static const char *const steps[] = { "step = x", NULL };
	struct wl_table t, back;
	struct wl_unpack u;
	size_t n;

	wl_table_init(&t, &p.arena, cols, N_COLS);
	wl_table_say_steps(&t, true, steps);
	wl_table_row(&t);
	wl_put_parts(&t, NAME, &(struct wl_parts){ { "lead ", "a; b", " of c" } });
	wl_table_suggest(&t, false, "2 more (", &(struct wl_cmdline){ .verb = "x" }, ")");
	wl_table_pack(&t, &p.bytes);
	u = from(&p);
	assert_true(wl_table_unpack(&u, cols, N_COLS, &p.arena, &back));
	assert_true(back.notes->is_of_steps && back.notes->is_minor && !back.notes->command);
	assert_string_equal(back.last_note->text, "2 more (warplens x TRACE)");
	assert_true(wl_note_respell(back.last_note, "a.sqlite", &p.arena));
	assert_string_equal(back.last_note->text, "2 more (warplens x a.sqlite)");
	assert_false(back.last_note->is_of_steps || back.last_note->is_minor);
	assert_string_equal(wl_table_at(&back, 0, NAME).str, "lead a; b of c");
	assert_string_equal(wl_table_parts(&back, 0, NAME, 9, &n), "a; b of c");
	assert_int_equal(n, strlen("a; b of c"));
	(void)wl_table_parts(&back, 0, NAME, 1, &n);
	assert_int_equal(n, strlen("a; b"));
}

/* A command of foreign bytes is words and values: a shell reads no more into them. */
TEST(commands_of_foreign_bytes_are_harmless)
{
	static const struct {
		struct wl_cmdline command;
		const char *text; /* NULL: refused */
	} tries[] = {
		{ { .verb = "idle", .option = { { "where", "x; $(id)" } } },
		  "warplens idle TRACE --where 'x; $(id)'" },
		{ { .verb = "kernels", .option = { { "n", "1" }, { "all", NULL } } },
		  "warplens kernels TRACE -n 1 --all" },
		{ { .verb = "idle; id" }, NULL },
		{ { .verb = "-x" }, NULL },
		{ { .verb = "" }, NULL },
		{ { .verb = "idle", .option = { { "by detail; id", "x" } } }, NULL },
		{ { .verb = "idle", .option = { { "-o", "x" } } }, NULL },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct wl_table t, back;
		struct wl_unpack u;
		struct packed p;

		packed_init(&p);
		wl_table_init(&t, &p.arena, cols, N_COLS);
		wl_table_suggest(&t, false, "", &tries[i].command, "");
		wl_table_pack(&t, &p.bytes);
		u = from(&p);
		assert_int_equal(wl_table_unpack(&u, cols, N_COLS, &p.arena, &back),
				 tries[i].text != NULL);
		if (tries[i].text)
			assert_string_equal(back.notes->text, tries[i].text);
		packed_release(&p);
	}
}

TEST(a_verdict_stays_one)
{
	WITH(struct packed, p, packed_release, packed_init(&p));
	struct wl_table t, back;
	struct wl_unpack u;

	wl_table_init(&t, &p.arena, cols, N_COLS);
	wl_table_note_verdict(&t, "none");
	wl_table_note(&t, "some");
	wl_table_pack(&t, &p.bytes);
	u = from(&p);
	assert_true(wl_table_unpack(&u, cols, N_COLS, &p.arena, &back));
	assert_true(back.notes->is_verdict && !back.last_note->is_verdict);
}

/* Other bytes give another table or none, and a shorter record gives none. */
TEST(no_bytes_do_harm)
{
	WITH(struct packed, p, packed_release, packed_init(&p));
	struct wl_table t, back;
	struct wl_unpack u;

	make_tree(&p, &t, 7);
	wl_table_pack(&t, &p.bytes);
	for (size_t n = 0; n < p.bytes.n; n++) {
		struct wl_arena arena;

		wl_arena_init(&arena, 1 << 20);
		u = (struct wl_unpack){ .at = p.bytes.data, .left = n };
		assert_false(wl_table_unpack(&u, cols, N_COLS, &arena, &back));
		wl_arena_release(&arena);
	}
	for (size_t i = 0; i < p.bytes.n * 8; i++) {
		unsigned char *bytes = p.bytes.data;
		struct wl_arena arena;

		wl_arena_init(&arena, 1 << 20);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		u = from(&p);
		if (wl_table_unpack(&u, cols, N_COLS, &arena, &back))
			assert_true(wl_table_ok(&back));
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		wl_arena_release(&arena);
	}
	u = from(&p);
	assert_false(wl_table_unpack(&u, cols, N_COLS - 1, &p.arena, &back));
}

TEST(without_memory_there_is_no_table)
{
	WITH(struct packed, p, packed_release, packed_init(&p));
	struct wl_table t, back;

	make_tree(&p, &t, 300);
	wl_table_pack(&t, &p.bytes);
	for (size_t budget = 0; budget < 40000; budget += 500) {
		struct wl_unpack u = from(&p);
		struct wl_arena arena;

		wl_arena_init(&arena, budget);
		if (wl_table_unpack(&u, cols, N_COLS, &arena, &back))
			assert_int_equal(back.n_rows, 300);
		wl_arena_release(&arena);
	}
}
