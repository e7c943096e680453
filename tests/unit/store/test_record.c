/* SPDX-License-Identifier: MIT */
#include "store/record.h"

#include <stdlib.h>
#include <string.h>

#include "known/definitions.h"
#include "support/unit.h"

struct pet {
	const char *name, *owner;
	int64_t age;
};

struct zoo {
	const char *place;
	const char *keeper[2];
	size_t n_keepers, area;
	int64_t days[3], care[2][2];
	unsigned kind;
	const int64_t *price;
	size_t n_prices;
	const struct pet *pet;
	size_t n_pets;
};

static const char *name_of(size_t i)
{
	return i ? "large" : "small";
}

static const struct wl_record_member pet_members[] = {
	WL_KEEP(pet, "name", TEXT, name, 0),
	WL_KEEP(pet, "owner", TEXT, owner, WL_OR_NULL),
	WL_KEEP(pet, "age", NUMBER, age, 0, .least = -1),
};
static const struct wl_record pet = WL_RECORD(pet, pet_members);

static const struct wl_record_member members[] = {
	WL_KEEP(zoo, "place", TEXT, place, WL_LEFT_OUT),
	WL_KEEP_ARRAY(zoo, "keepers", TEXTS, keeper, n_keepers, 2, 0),
	WL_KEEP(zoo, "area", COUNT, area, 0),
	WL_KEEP_EACH(zoo, "days", days[0], days, 0),
	WL_KEEP(zoo, "care", PARTS, care, 0, .most = 2, .step = sizeof(int64_t[2]), .n = 2,
		.name = name_of),
	WL_KEEP(zoo, "kind", CHOICE, kind, 0, .most = 2, .name = name_of),
	WL_KEEP_ARRAY(zoo, "prices", PAIRS, price, n_prices, 2, WL_ON_A_LINE),
	WL_KEEP_ARRAY(zoo, "pets", ROWS, pet, n_pets, 2, 0, .of = &pet),
};
static const struct wl_record zoo = WL_RECORD(zoo, members);
static const struct wl_record_head head = { "zoo/1", "a zoo", "count again" };

static const int64_t prices[] = { 1, 2, 3, 4 };
static const struct pet pets[] = { { "a\"", NULL, -1 }, { "b", "c", (int64_t)1 << 53 } };
static const struct zoo full = { .place = "here",
				 .keeper = { "x", "y" },
				 .n_keepers = 2,
				 .area = 7,
				 .days = { 1, 2, 3 },
				 .care = { { 1, 2 }, { 3, 4 } },
				 .kind = 1,
				 .price = prices,
				 .n_prices = 2,
				 .pet = pets,
				 .n_pets = 2 };

#define MEMBERS(keepers, days, kind, prices, pets)                                                 \
	"\"keepers\":" keepers ",\"area\":7,\"days\":" days                                        \
	",\"care\":{\"small\":[1,3],\"large\":[2,4]},\"kind\":" kind ",\n\"prices\":" prices       \
	",\"pets\":" pets
#define GOOD                                                                                       \
	MEMBERS("[\"x\",\"y\"]", "[1,2,3]", "\"large\"", "[1,2,3,4]",                              \
		"[\n{\"name\":\"a\\u0022\",\"owner\":null,\"age\":-1},\n"                          \
		"{\"name\":\"b\",\"owner\":\"c\",\"age\":9007199254740992}]")

/* Read what stands behind the head. */
static int read_text(const char *text, size_t memory, struct wl_arena *arena, struct zoo *ret,
		     struct wl_err *err)
{
	struct wl_json *doc;
	char all[1000];
	int r, n = snprintf(all, sizeof(all), "{\"schema\":\"zoo/1\",\"definitions\":%d,%s}",
			    WL_DEFINITIONS, text);

	wl_arena_init(arena, memory);
	*ret = (struct zoo){ .place = NULL };
	assert_in_range(n, 1, sizeof(all) - 1);
	assert_int_equal(wl_json_parse(all, (size_t)n, "f", &doc, err), WL_OK);
	r = wl_record_read(&head, &zoo, doc, "f", arena, ret, err);
	wl_json_free(doc);
	return r;
}

TEST(a_struct_is_written_as_it_is_described)
{
	char *text = NULL, want[1000];
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	(void)snprintf(want, sizeof(want),
		       "{\"schema\":\"zoo/1\",\"definitions\":%d,\"place\":\"here\"," GOOD "}\n",
		       WL_DEFINITIONS);
	assert_non_null(out);
	wl_record_write(&head, &zoo, &full, out);
	assert_int_equal(fclose(out), 0);
	/* How a quote is escaped, only the writer of JSON says. */
	assert_int_equal(strcspn(text, "\\"), strcspn(want, "\\"));
	assert_string_equal(strstr(text, ",\"owner\":null"), strstr(want, ",\"owner\":null"));
	free(text);
}

TEST(what_is_read_is_what_was_written)
{
	struct wl_arena arena;
	struct wl_err err;
	struct zoo got;

	assert_int_equal(read_text(GOOD, 1 << 20, &arena, &got, &err), WL_OK);
	assert_null(got.place);
	assert_int_equal(got.n_keepers, 2);
	assert_string_equal(got.keeper[1], "y");
	assert_int_equal(got.area, 7);
	assert_memory_equal(got.days, full.days, sizeof(full.days));
	assert_memory_equal(got.care, full.care, sizeof(full.care));
	assert_int_equal(got.kind, 1);
	assert_int_equal(got.n_prices, 2);
	assert_memory_equal(got.price, prices, sizeof(prices));
	assert_int_equal(got.n_pets, 2);
	assert_string_equal(got.pet[0].name, "a\"");
	assert_null(got.pet[0].owner);
	assert_int_equal(got.pet[1].age, (int64_t)1 << 53);
	assert_true(wl_record_is_within(&zoo, &got));
	wl_arena_release(&arena);
}

TEST(what_is_not_as_described_is_named)
{
	static const struct {
		const char *text, *key;
	} cases[] = {
		{ MEMBERS("5", "[1,2,3]", "\"large\"", "[]", "[]"), "\"keepers\"" },
		{ MEMBERS("[\"x\",\"y\",\"z\"]", "[1,2,3]", "\"large\"", "[]", "[]"),
		  "\"keepers\"" },
		{ MEMBERS("[null]", "[1,2,3]", "\"large\"", "[]", "[]"), "\"keepers\"" },
		{ MEMBERS("[]", "[1,2]", "\"large\"", "[]", "[]"), "\"days\"" },
		{ MEMBERS("[]", "[1,2,-1]", "\"large\"", "[]", "[]"), "\"days\"" },
		{ MEMBERS("[]", "[1,2,0.5]", "\"large\"", "[]", "[]"), "\"days\"" },
		{ MEMBERS("[]", "[1,2,9007199254740994]", "\"large\"", "[]", "[]"), "\"days\"" },
		{ MEMBERS("[]", "[1,2,3]", "\"huge\"", "[]", "[]"), "\"kind\"" },
		{ MEMBERS("[]", "[1,2,3]", "1", "[]", "[]"), "\"kind\"" },
		{ MEMBERS("[]", "[1,2,3]", "\"large\"", "[1,2,3]", "[]"), "\"prices\"" },
		{ MEMBERS("[]", "[1,2,3]", "\"large\"", "[1,2,3,4,5,6]", "[]"), "\"prices\"" },
		{ MEMBERS("[]", "[1,2,3]", "\"large\"", "[]", "{}"), "\"pets\"" },
		{ MEMBERS("[]", "[1,2,3]", "\"large\"", "[]", "[5]"), "\"name\"" },
		{ MEMBERS("[]", "[1,2,3]", "\"large\"", "[]", "[{\"name\":\"a\",\"age\":-2}]"),
		  "\"age\"" },
		{ "\"keepers\":[]", "\"area\"" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		struct wl_arena arena;
		struct wl_err err;
		struct zoo got;

		assert_int_equal(read_text(cases[i].text, 1 << 20, &arena, &got, &err),
				 WL_E_FORMAT);
		assert_non_null(strstr(err.msg, cases[i].key));
		wl_arena_release(&arena);
	}
}

TEST(memory_may_run_out)
{
	struct wl_arena arena;
	struct wl_err err;
	struct zoo got;

	assert_int_equal(read_text(GOOD, 1, &arena, &got, &err), WL_E_NOMEM);
	wl_arena_release(&arena);
}

TEST(a_struct_that_cannot_be_read_back_is_not_within)
{
	struct zoo z = full;
	struct pet p = pets[0];

	assert_true(wl_record_is_within(&zoo, &z));
	z.days[2] = -1;
	assert_false(wl_record_is_within(&zoo, &z));
	z = full;
	z.area = SIZE_MAX;
	assert_false(wl_record_is_within(&zoo, &z));
	z = full;
	z.n_prices = 3;
	assert_false(wl_record_is_within(&zoo, &z));
	z = full;
	z.care[1][1] = WL_RECORD_MAX + 1;
	assert_false(wl_record_is_within(&zoo, &z));
	z = full;
	p.age = -2;
	z.pet = &p;
	z.n_pets = 1;
	assert_false(wl_record_is_within(&zoo, &z));
}

TEST(other_definitions_are_refused_with_what_to_do)
{
	struct wl_err err;

	assert_int_equal(wl_store_check_definitions(WL_DEFINITIONS, "f", "count again", &err),
			 WL_OK);
	assert_int_equal(wl_store_check_definitions(WL_DEFINITIONS - 1, "f", "count again", &err),
			 WL_E_INCOMPARABLE);
	assert_non_null(strstr(err.msg, "count again"));
}
