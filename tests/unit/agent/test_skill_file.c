/* SPDX-License-Identifier: MIT */
/* Files of skills: what they mean, and what is said where they are wrong. */
#include <stdio.h>
#include <string.h>

#include "agent/skills/store.h"
#include "agent/skills/template.h"
#include "agent/skills/values.h"
#include "known/builtin.h"
#include "support/random.h"
#include "support/unit.h"

static struct wl_arena arena;

static int parse(const char *text, struct wl_skill *ret, struct wl_err *err)
{
	wl_arena_release(&arena);
	wl_arena_init(&arena, 1 << 22);
	return wl_skill_parse(text, strlen(text), "mine.md", &arena, ret, err);
}

static struct wl_skill parsed(const char *text)
{
	struct wl_skill s;
	struct wl_err err;

	if (parse(text, &s, &err) != WL_OK)
		fail_msg("%s", err.msg);
	return s;
}

static void refused(const char *text, const char *part)
{
	struct wl_skill s;
	struct wl_err err = { .code = WL_OK };

	assert_int_equal(parse(text, &s, &err), WL_E_USAGE);
	if (!strstr(err.msg, part))
		fail_msg("no \"%s\" in: %s", part, err.msg);
}

#define HEAD "# mine\n\nWhat it shows\n\n"
#define CALL "## Verbs\n\n```\nkernels\n```\n"

static const char whole[] =
	"# mine\n"
	"\n"
	"Kernels that are\n"
	"slow\n"
	"\n"
	"First paragraph.\n"
	"\n"
	"Second one.\n"
	"\n"
	"## Parameters\n"
	"\n"
	"- limit (count, default 20): Rows.\n"
	"- min (time, default 1ms): How long,\n"
	"  at least.\n"
	"- kind (choice a|b, default a): Which.\n"
	"- factor (number, required): How often.\n"
	"\n"
	"## Verbs\n"
	"\n"
	"```\n"
	"# The longest\n"
	"kernels --by name --where \"sum > {min} and name ~ 'a b'\" -n {limit}\n"
	"gaps --min={min}\n"
	"kernels\n"
	"```\n"
	"\n"
	"## SQL rest\n"
	"\n"
	"```sql\n"
	"SELECT 1 AS a,\n"
	"       :factor AS b\n"
	"```\n"
	"\n"
	"## Findings\n"
	"\n"
	"- high when share > 50%: {name}: takes {share}. Do: look at it.\n"
	"- info in gaps when duration > {min}: a gap\n"
	"\n"
	"## Abstains\n"
	"\n"
	"- when no rows: no kernels\n"
	"- without CUPTI_ACTIVITY_KIND_KERNEL: not recorded\n"
	"- in gaps when duration > 100s: too long\n"
	"\n"
	"## Expect\n"
	"\n"
	"- rows > 0 with factor=2\n"
	"- every sum >= 0 with factor=2, limit=3\n"
	"- abstains with factor=1\n"
	"\n"
	"## Notes\n"
	"\n"
	"Anything.\n";

TEST(a_whole_file_is_read)
{
	struct wl_skill s = parsed(whole);

	assert_string_equal(s.name, "mine");
	assert_string_equal(s.title, "Kernels that are slow");
	assert_string_equal(s.about, "First paragraph.\n\nSecond one.");
	assert_int_equal(s.n_params, 4);
	assert_string_equal(s.params[1].is.help, "How long, at least.");
	assert_int_equal(s.params[1].is.type, WL_P_NS);
	assert_string_equal(s.params[2].is.choices[1], "b");
	assert_true(s.params[3].is_number && s.params[3].is_required);
	assert_int_equal(s.n_steps, 4);
	assert_string_equal(s.steps[0].title, "The longest");
	assert_string_equal(s.steps[0].options[1].value, "sum > {min} and name ~ 'a b'");
	assert_string_equal(s.steps[1].options[0].value, "{min}");
	assert_string_equal(s.steps[2].name, "kernels_2");
	assert_string_equal(s.steps[3].name, "rest");
	assert_string_equal(s.steps[3].sql, "SELECT 1 AS a,\n       :factor AS b");
	assert_string_equal(s.rules[0].finding, "{name}: takes {share}.");
	assert_string_equal(s.rules[0].action, "look at it.");
	assert_string_equal(s.rules[1].in, "gaps");
	assert_int_equal(s.n_abstentions, 3);
	assert_int_equal(s.abstentions[1].condition, WL_SKILL_WITHOUT);
	assert_int_equal(s.n_expectations, 3);
	assert_string_equal(s.expectations[1].with, "factor=2, limit=3");
}

TEST(json_has_the_same_items)
{
	struct wl_skill s = parsed("{\"name\": \"mine\", \"title\": \"T\", \"about\": \"A\","
				   "\"parameters\": [\"limit (count, default 2): Rows.\"],"
				   "\"verbs\": [\"kernels -n {limit}\"], \"sql\": \"SELECT 1\","
				   "\"findings\": [\"low when sum > 1ms: {name}\"],"
				   "\"abstains\": [\"when no rows: none\"],"
				   "\"expect\": [\"rows <= 2\"]}");

	assert_int_equal(s.n_params + s.n_rules + s.n_abstentions + s.n_expectations, 4);
	assert_int_equal(s.n_steps, 2);
	refused("{\"name\": \"mine\", \"title\": \"T\", \"verb\": []}",
		"no \"verb\"; did you mean verbs?");
	refused("{\"name\": \"mine\", \"title\": \"T\", \"verbs\": [\"kernels\", \"gabs\"]}",
		"mine.md: verbs[1]: no verb \"gabs\"; did you mean gaps?");
	refused("{\"name\": \"mine\", \"title\": 1}", "\"title\" must be a text");
	refused("{\"name\": \"mine\", \"verbs\": 1, \"title\": \"T\"}", "must be a list of texts");
	refused("{\"name\": \"Mine\"}", "\"name\" must be a text of a-z");
	refused("{\"name\":", "mine.md");
}

TEST(mistakes_are_told_with_their_line)
{
	static const struct {
		const char *text, *part;
	} wrong[] = {
		{ "", "the file is empty" },
		{ "---\nname: x\n---\n", "mine.md:1: begin the file with the skill's name" },
		{ "# My Skill\n", "mine.md:1: \"My Skill\" is no name of a skill" },
		{ "# mine\n", "the title is missing" },
		{ HEAD, "nothing to run" },
		{ HEAD "## Verb\n", "mine.md:5: no heading \"Verb\"; did you mean Verbs?" },
		{ HEAD "## Verbs\nkernels\n", "mine.md:6: put the calls between lines of ```" },
		{ HEAD "## SQL\nSELECT 1\n", "mine.md:6: put the SQL between" },
		{ HEAD "## Verbs\n```\nkernels\n", "not closed with ```" },
		{ HEAD "## Verbs\n```\nkernles\n```\n",
		  "mine.md:7: no verb \"kernles\"; did you mean kernels?" },
		{ HEAD "## Verbs\n```\nkernels --bi name\n```\n", "did you mean --by?" },
		{ HEAD "## Verbs\n```\nkernels --by nme\n```\n", "mine.md:7: --by nme: use" },
		{ HEAD "## Verbs\n```\nkernels --rules x\n```\n", "no option --rules" },
		{ HEAD "## Verbs\n```\nkernels run.sqlite\n```\n", "the trace is given when" },
		{ HEAD "## Verbs\n```\nkernels --by\n```\n", "--by needs a value" },
		{ HEAD "## Verbs\n```\nkernels --where 'a\n```\n", "a quote is not closed" },
		{ HEAD "## Verbs\n```\nkernels -n {limt}\n```\n", "{limt} is no parameter" },
		{ HEAD "## Verbs\n```\nkernels --where 'smu > 1ms'\n```\n", "mine.md:7: " },
		{ HEAD "## Parameters\n- limit: Rows.\n", "mine.md:6: write a parameter as" },
		{ HEAD "## Parameters\n- limit (int): Rows.\n", "\"int\" is no type; use count" },
		{ HEAD "## Parameters\n- limit (count, default x): R.\n",
		  "mine.md:6: the default does not fit" },
		{ HEAD "## Parameters\n- limit (count, 5): R.\n", "\"default VALUE\"" },
		{ HEAD "## Parameters\n- 2 much (count): R.\n", "no name of a parameter" },
		{ HEAD "## Parameters\n- a (count): R.\n- a (count): R.\n", "twice" },
		{ HEAD "## Parameters\nlimit (count): R.\n", "begins with \"- \"" },
		{ HEAD CALL "## Findings\n- urgent when sum > 1: x\n", "begin a finding with" },
		{ HEAD CALL "## Findings\n- high sum > 1: x\n", "write \"high when" },
		{ HEAD CALL "## Findings\n- high when smu > 1: x\n", "mine.md:11: " },
		{ HEAD CALL "## Findings\n- high when sum > 1 x\n", "with a colon" },
		{ HEAD CALL "## Findings\n- high in gaps when sum > 1: x\n", "no table \"gaps\"" },
		{ HEAD CALL "## Findings\n- high when sum > 1: {nme}\n",
		  "mine.md:11: {nme} is neither a column" },
		{ HEAD CALL "## Abstains\n- never\n", "write \"when no rows: REASON\"" },
		{ HEAD CALL "## Abstains\n- when no rows:\n", "say why" },
		{ HEAD CALL "## Expect\n- rows\n", "write \"rows > 0\"" },
		{ HEAD CALL "## Expect\n- rows > 0 with limit=1\n",
		  "mine.md:11: mine has no parameter \"limit\"" },
		{ HEAD CALL "# other\n", "a file is one skill" },
		{ HEAD CALL "### Deep\n", "headings have one or two #" },
		{ HEAD "x\x01\n", "mine.md:5: a byte that is no text" },
		{ HEAD "\n\xff\n", "mine.md:6: a byte that is no text" },
		{ HEAD "## SQL\n```\nSELECT 1\n```\n```\nSELECT 2\n```\n",
		  "a second block of SQL" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refused(wrong[i].text, wrong[i].part);
}

TEST(files_are_bounded)
{
	static char text[WL_SKILL_BYTES + 2];
	size_t used = 0;

	memset(text, 'x', sizeof(text) - 1);
	refused(text, "larger than 64 KiB");
	used = (size_t)snprintf(text, sizeof(text), HEAD "## Parameters\n");
	for (int i = 0; i <= WL_MAX_PARAMS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "- p%d (count): R.\n",
					 i);
	refused(text, "more than 24 parameters");
	used = (size_t)snprintf(text, sizeof(text), HEAD "## Verbs\n```\n");
	for (int i = 0; i <= WL_SKILL_STEPS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "kernels\n");
	refused(text, "more than 16 tables");
}

TEST(values_have_types)
{
	static const struct {
		const char *key, *value, *part;
	} wrong[] = {
		{ "limt", "1", "no parameter \"limt\"; did you mean limit?" },
		{ "limit", "x", "limit: " },
		{ "min", "-1ms", "min -1ms: must not be negative" },
		{ "kind", "c", "kind c: use a or b" },
		{ "factor", "0x10", "factor 0x10: give a number" },
		{ "factor", "nan", "give a number" },
		{ "factor", "2", "factor is given twice" },
	};
	struct wl_skill s = parsed(whole);
	struct wl_sql_value bound[WL_MAX_PARAMS];
	struct wl_skill_values v;
	struct wl_err err;

	wl_skill_values_init(&v, &s, &arena);
	assert_int_equal(wl_skill_values_end(&v, &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, "factor is missing (How often.)"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int r;

		wl_skill_values_init(&v, &s, &arena);
		if (i + 1 == sizeof(wrong) / sizeof(wrong[0]))
			assert_int_equal(wl_skill_values_set(&v, "factor", "1", &err), WL_OK);
		r = wl_skill_values_set(&v, wrong[i].key, wrong[i].value, &err);
		if (r == WL_OK)
			r = wl_skill_values_end(&v, &err);
		assert_int_equal(r, WL_E_USAGE);
		if (!strstr(err.msg, wrong[i].part))
			fail_msg("no \"%s\" in: %s", wrong[i].part, err.msg);
	}
	wl_skill_values_init(&v, &s, &arena);
	assert_int_equal(wl_skill_values_list(&v, "factor=2.5, kind=\"b\",min=2us", &err), WL_OK);
	assert_int_equal(wl_skill_values_end(&v, &err), WL_OK);
	assert_int_equal(wl_skill_values_bind(&v, bound, &err), WL_OK);
	assert_int_equal(bound[0].i64, 20);
	assert_int_equal(bound[1].i64, 2000);
	assert_string_equal(bound[2].text, "b");
	assert_true(bound[3].type == WL_SQL_REAL && bound[3].f64 == 2.5);
}

static const char *give(void *ctx, const char *name, size_t n)
{
	(void)ctx;
	return n == 1 && *name == 'a' ? "x\" or {a}" : NULL;
}

TEST(templates_keep_values_values)
{
	wl_arena_release(&arena);
	wl_arena_init(&arena, 1 << 20);
	assert_string_equal(wl_template_fill("n ~ {a} {b} {2} {", give, NULL, true, &arena),
			    "n ~ \"x\"\" or {a}\" {b} {2} {");
	assert_string_equal(wl_template_fill("{a}{a}", give, NULL, false, &arena),
			    "x\" or {a}x\" or {a}");
	assert_string_equal(wl_template_fill("", give, NULL, false, &arena), "");
}

/* Bytes of a valid file changed, cut and doubled: an answer or a reason, never more. */
TEST(damaged_files_are_refused_or_read)
{
	static char text[2 * sizeof(whole)];
	uint64_t seed = 20;
	size_t n_read = 0;

	for (int i = 0; i < 3000; i++) {
		struct wl_skill s;
		struct wl_err err = { .code = WL_OK };
		size_t n = sizeof(whole) - 1;

		memcpy(text, whole, n);
		for (int k = 0; k < 1 + i % 4; k++)
			text[random_below(&seed, (uint32_t)n)] = (char)random_below(&seed, 128);
		if (i % 5 == 0)
			n = random_below(&seed, (uint32_t)n);
		wl_arena_release(&arena);
		wl_arena_init(&arena, 1 << 22);
		if (wl_skill_parse(text, n, "mine.md", &arena, &s, &err) == WL_OK)
			n_read++;
		else
			assert_true(err.code == WL_E_USAGE && err.msg[0]);
	}
	assert_true(n_read > 100);
}

TEST(every_verb_is_a_skill)
{
	struct wl_skill_list list;
	struct wl_err err;

	wl_arena_release(&arena);
	wl_arena_init(&arena, 1 << 26);
	if (wl_skill_list(NULL, &arena, &list, &err) != WL_OK)
		fail_msg("%s", err.msg);
	assert_true(list.n >= wl_n_analyses);
	for (size_t i = 0; i < list.n; i++) {
		struct wl_skill found;

		if (wl_skill_find(list.skill[i].name, NULL, &arena, &found, &err) != WL_OK)
			fail_msg("%s", err.msg);
		assert_string_equal(found.name, list.skill[i].name);
		assert_true(wl_skill_is_taken(found.name));
	}
	assert_int_equal(wl_skill_find("kernles", NULL, &arena, &list.skill[0], &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, "did you mean kernels?"));
	assert_int_equal(wl_skill_find("nvtx_kernels", NULL, &arena, &list.skill[0], &err), WL_OK);
	assert_int_equal(wl_skill_find("cuda_gpu_kern_gb_sum", NULL, &arena, &list.skill[0], &err),
			 WL_OK);
	wl_arena_release(&arena);
}

static int tear_down(void **state)
{
	(void)state;
	wl_arena_release(&arena);
	return 0;
}

TEST_GROUP(NULL, tear_down)
