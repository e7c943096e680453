/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/range_names.h"

#include <stdio.h>
#include <string.h>

#include "derive/derived.h"
#include "known/exports/codes.h"
#include "support/mem.h"
#include "support/unit.h"

TEST(labels_replace_what_only_counts)
{
	static const struct {
		const char *name, *label;
	} cases[] = {
		{ "", "" },
		{ "forward", "forward" },
		{ "step 12", "step #" },
		{ "step12", "step#" },
		{ "Step12", "Step#" },
		{ "ITERATION007", "ITERATION#" },
		{ "iter=3, loss=0.25", "iter=#, loss=#.#" },
		{ "layer3b", "layer#b" },
		{ "layer_3", "layer_#" },
		{ "layer3.attn1", "layer#.attn1" },
		{ "stage2_f", "stage2_f" },
		{ "AllToAll4D", "AllToAll4D" },
		{ "H2D", "H2D" },
		{ "conv1", "conv1" },
		{ "fp16", "fp16" },
		{ "3D", "3D" },
		{ "4x4", "4x4" },
		{ "12", "#" },
		{ "1_2", "#_#" },
		{ "-7", "-#" },
		{ "microbatch4", "microbatch#" },
		{ "mybatch4", "mybatch4" },
		{ "req42/token7", "req#/token#" },
		{ "ProfilerStep#17", "ProfilerStep##" },
		{ "AddBackward0, op_id = 12, seq = 7", "AddBackward0, op_id = #, seq = #" },
		{ "ptr 0x7f001a", "ptr #" },
		{ "0XABCDEF", "#" },
		{ "0x", "0x" },
		{ "0xg", "0xg" },
		{ "a0x12", "a0x12" },
		{ "x\xc3\xa9 1", "x\xc3\xa9 #" },
		{ "\xc3\xa9\x31", "\xc3\xa9\x31" },
		{ "1\xc3\xa9", "1\xc3\xa9" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		char buf[64];

		wl_label_write(cases[i].name, buf);
		assert_string_equal(buf, cases[i].label);
	}
}

TEST(words_that_count)
{
	static const char *const words[] = { "iter",  "iteration", "step",  "batch",  "microbatch",
					     "layer", "block",     "chunk", "phase",  "token",
					     "epoch", "rank",      "req",   "request" };

	for (size_t i = 0; i < WL_COUNT(words); i++) {
		char name[32], want[32], buf[32];

		(void)snprintf(name, sizeof(name), "%s12", words[i]);
		(void)snprintf(want, sizeof(want), "%s#", words[i]);
		wl_label_write(name, buf);
		assert_string_equal(buf, want);
	}
}

static void put(struct mem *m, unsigned pid, uint32_t domain, const char *name)
{
	MEM_NVTX(m, .end = 1, .pid = pid, .domain = domain, .name = name);
}

static void create(struct mem *m, unsigned pid, uint32_t id, const char *name)
{
	MEM_NVTX(m, .pid = pid, .kind = WL_NVTX_DOMAIN_CREATE, .domain = id, .name = name);
}

/* The name of the only range of the process. */
static const struct wl_range_name *name_of(const struct wl_trace *t,
					   const struct wl_range_names *names, unsigned pid)
{
	for (size_t i = 0; i < t->family[WL_F_NVTX].n; i++) {
		if (t->processes[t->threads[wl_nvtx_thread(t)[i]].process].pid == pid &&
		    names->of[i] != WL_NONE)
			return wl_range_name_of(names, i);
	}
	fail();
	return NULL;
}

TEST(domains_are_part_of_the_name)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_range_names *names;
	const struct wl_range_name *plain, *same, *torch, *other, *lost, *unnamed;
	const struct wl_trace *t;

	create(&m, 3, 7, "torch");
	create(&m, 4, 1, "torch");
	put(&m, 1, 0, "step 1");
	put(&m, 2, 0, "step 1");
	put(&m, 3, 7, "step 1");
	put(&m, 4, 1, "step 2");
	put(&m, 5, 9, "step 3"); /* a domain that the file does not name */
	put(&m, 6, 0, NULL);
	put(&m, 7, WL_NONE, "step 1"); /* as old files have it */
	t = mem_seal(&m);
	names = m.derived.range_names;
	assert_non_null(names);
	plain = name_of(t, names, 1);
	same = name_of(t, names, 2);
	torch = name_of(t, names, 3);
	other = name_of(t, names, 4);
	lost = name_of(t, names, 5);
	unnamed = name_of(t, names, 6);
	assert_string_equal(plain->exact, "step 1");
	assert_string_equal(plain->label_text, "step #");
	assert_true(plain->is_default);
	assert_int_equal(plain->same_exact, same->same_exact);
	assert_string_equal(torch->exact, "torch:step 1");
	assert_string_equal(torch->domain, "torch");
	assert_string_equal(torch->text, "step 1");
	assert_false(torch->is_default);
	assert_int_not_equal(torch->same_exact, other->same_exact);
	assert_int_equal(torch->label, other->label);
	assert_int_not_equal(torch->label, plain->label);
	assert_string_equal(lost->exact, "step 3");
	assert_null(lost->domain);
	assert_false(lost->is_default);
	assert_int_equal(lost->label, plain->label);
	assert_string_equal(unnamed->exact, "(unnamed)");
	assert_null(unnamed->text);
	assert_true(name_of(t, names, 7)->is_default);
	assert_int_equal(name_of(t, names, 7)->same_exact, plain->same_exact);
}

TEST(nccl_is_known_by_domain_or_name)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	const struct wl_range_names *names;
	const struct wl_trace *t;

	create(&m, 1, 2, "NCCL");
	put(&m, 1, 2, "group");
	put(&m, 2, 0, "ncclAllReduce");
	put(&m, 3, 0, "my ncclAllReduce");
	t = mem_seal(&m);
	names = m.derived.range_names;
	assert_non_null(names);
	assert_true(name_of(t, names, 1)->is_nccl);
	assert_true(name_of(t, names, 2)->is_nccl);
	assert_false(name_of(t, names, 3)->is_nccl);
}

TEST(marks_and_empty_traces_have_no_names)
{
	const struct wl_range_names *names;
	struct mem m;

	mem_init(&m);
	MEM_NVTX(&m, .kind = WL_NVTX_MARK, .name = "mark");
	(void)mem_seal(&m);
	names = m.derived.range_names;
	assert_non_null(names);
	assert_int_equal(names->n, 0);
	assert_int_equal(names->of[0], WL_NONE);
	mem_release(&m);
	mem_init(&m);
	(void)mem_seal(&m);
	names = m.derived.range_names;
	assert_non_null(names);
	assert_int_equal(names->n, 0);
	mem_release(&m);
}

TEST(every_byte_budget_is_kept)
{
	WITH(struct mem, m, mem_release, mem_init(&m));
	struct wl_range_names names;
	struct wl_arena arena;
	size_t budget = 0;
	bool ok = false;

	create(&m, 1, 2, "NCCL");
	put(&m, 1, 2, "group 1");
	put(&m, 1, 0, "group 2");
	(void)mem_seal(&m);
	for (; !ok; budget += 8) {
		wl_arena_init(&arena, budget);
		ok = wl_range_names_find(&m.derived, &arena, &names);
		assert_in_range(arena.used, 0, budget);
		wl_arena_release(&arena);
	}
	assert_in_range(budget, 64, 1 << 14);
}
