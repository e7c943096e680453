/* SPDX-License-Identifier: MIT */
#include "export/chrome/chrome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_read.h"
#include "support/unit.h"

/* An emitter that writes into memory. */
struct file {
	struct wl_budget budget;
	struct wl_sink sink;
	struct wl_emitter *e;
	FILE *out;
	char *text;
	size_t size;
	struct wl_json *doc;
};

static void open_file(struct file *f, size_t limit)
{
	*f = (struct file){ .budget = { .limit = limit } };
	f->out = open_memstream(&f->text, &f->size);
	assert_non_null(f->out);
	assert_true(wl_sink_init(&f->sink, f->out, false));
	f->e = wl_chrome_open(&f->sink, &f->budget);
	assert_non_null(f->e);
	assert_true(f->e->ops->flat);
}

/* All is written: text is the file, terminated. */
static void end_file(struct file *f)
{
	f->e->ops->finish(f->e);
	wl_sink_finish(&f->sink);
	assert_int_equal(fclose(f->out), 0);
}

static void parse(struct file *f)
{
	struct wl_err err;

	if (wl_json_parse(f->text, f->size, "x.json", &f->doc, &err) < 0)
		fail_msg("%s\n%.2000s", err.msg, f->text);
}

static void release(struct file *f)
{
	wl_chrome_close(f->e);
	wl_json_free(f->doc);
	free(f->text);
	assert_int_equal(f->budget.used, 0);
}

static void row(struct file *f, enum wl_emit_kind kind, uint32_t id, uint32_t parent,
		uint32_t order, const char *name)
{
	f->e->ops->row(f->e, &(struct wl_emit_row){ .kind = kind,
						    .id = id,
						    .parent = parent,
						    .order = order,
						    .name = name,
						    .pid = 4000,
						    .tid = 4001,
						    .unit = "%",
						    .decimals = 2 });
}

static void slice(struct file *f, uint32_t id, wl_ns start, wl_ns end, const char *name)
{
	f->e->ops->slice(f->e, id,
			 &(struct wl_emit_slice){ .start = start, .end = end, .name = name });
}

/* The n-th event of a kind; NULL where there are fewer. */
static const struct wl_json *event(const struct file *f, const char *kind, size_t n)
{
	const struct wl_json *events = wl_json_member(f->doc, "traceEvents");

	for (size_t i = 0; i < wl_json_size(events); i++) {
		const struct wl_json *v = wl_json_at(events, i);

		if (strcmp(wl_json_string(wl_json_member(v, "ph")), kind) == 0 && n-- == 0)
			return v;
	}
	return NULL;
}

TEST(a_file_without_events_is_a_document)
{
	static struct file f;

	open_file(&f, 0);
	row(&f, WL_EMIT_GROUP, 1, 0, 0, "GPU 0");
	row(&f, WL_EMIT_SLICES, 2, 1, 0, "Stream 7");
	end_file(&f);
	assert_string_equal(f.text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
	parse(&f);
	release(&f);
}

/* The whole file, with ' for ". */
static void expect_text_of(struct file *f, const char *want)
{
	for (char *p = f->text; (p = strchr(p, '"'));)
		*p = '\'';
	assert_string_equal(f->text, want);
}

static const char whole[] =
	"{'displayTimeUnit':'ns','traceEvents':[\n"
	"{'ph':'M','pid':1,'name':'process_name','args':{'name':'GPU 0'}},\n"
	"{'ph':'C','pid':1,'ts':0.000,'name':'Busy %','args':{'percent':12.34}},\n"
	"{'ph':'C','pid':1,'ts':1.000,'name':'Busy %','args':{'percent':0.05}},\n"
	"{'ph':'M','pid':1,'tid':3,'name':'thread_name','args':{'name':'Stream 7'}},\n"
	"{'ph':'X','pid':1,'tid':3,'ts':1.500,'dur':0.501,'name':'k','cat':'compute',"
	"'args':{'bytes':-64,'grid':'1x1x1'},'correlation':'9223372036854775808'},\n"
	"{'ph':'f','pid':1,'tid':3,'ts':1.500,'id':'18446744073709551615','bp':'e',"
	"'name':'launch','cat':'launch'},\n"
	"{'ph':'M','pid':1,'tid':4,'name':'thread_name','args':{'name':'NVTX'}},\n"
	"{'ph':'X','pid':1,'tid':4,'ts':1.000,'dur':0.000,'name':'n'},\n"
	"{'ph':'M','pid':6,'name':'process_name','args':{'name':'Process 4000 python'}},\n"
	"{'ph':'M','pid':6,'tid':7,'name':'thread_name',"
	"'args':{'name':'Thread 4001 main / CUDA API'}},\n"
	"{'ph':'X','pid':6,'tid':7,'ts':0.001,'dur':0.001,'name':'call'},\n"
	"{'ph':'s','pid':6,'tid':7,'ts':0.001,'id':'18446744073709551615',"
	"'name':'launch','cat':'launch'},\n"
	"{'ph':'M','pid':6,'tid':9,'name':'thread_name','args':{'name':'Thread 4001 main / "
	"NVTX'}},\n"
	"{'ph':'X','pid':6,'tid':9,'ts':0.003,'dur':0.001,'name':'range'},\n"
	"{'ph':'M','pid':6,'name':'process_sort_index','args':{'sort_index':0}},\n"
	"{'ph':'M','pid':6,'tid':7,'name':'thread_sort_index','args':{'sort_index':1}},\n"
	"{'ph':'M','pid':6,'tid':9,'name':'thread_sort_index','args':{'sort_index':3}},\n"
	"{'ph':'M','pid':1,'name':'process_sort_index','args':{'sort_index':4}},\n"
	"{'ph':'M','pid':1,'tid':4,'name':'thread_sort_index','args':{'sort_index':6}},\n"
	"{'ph':'M','pid':1,'tid':3,'name':'thread_sort_index','args':{'sort_index':7}}\n"
	"]}\n";

TEST(values_have_the_decimals_of_their_unit)
{
	static const struct wl_emit_row rows[] = {
		{ .kind = WL_EMIT_COUNTER, .id = 1, .name = "a", .unit = "%" },
		{ .kind = WL_EMIT_COUNTER, .id = 2, .name = "b", .unit = "MHz", .decimals = 6 },
		{ .kind = WL_EMIT_COUNTER, .id = 3, .name = "c", .unit = "" },
	};
	static struct file f;

	open_file(&f, 0);
	for (size_t i = 0; i < WL_COUNT(rows); i++)
		f.e->ops->row(f.e, &rows[i]);
	f.e->ops->count(f.e, 1, 0, 31);
	f.e->ops->count(f.e, 2, 0, 1980000001);
	f.e->ops->count(f.e, 3, 0, INT64_MAX);
	for (uint32_t id = 1; id <= WL_COUNT(rows); id++)
		f.e->ops->close(f.e, id);
	end_file(&f);
	assert_non_null(strstr(f.text, "\"name\":\"a\",\"args\":{\"percent\":31}}"));
	assert_non_null(strstr(f.text, "\"name\":\"b\",\"args\":{\"MHz\":1980.000001}}"));
	assert_non_null(strstr(f.text, "\"name\":\"c\",\"args\":{\"value\":9223372036854775807}}"));
	parse(&f);
	release(&f);
}

/* Also that a row is introduced when it is used, and that the order is that of the tree. */
TEST(the_whole_file)
{
	static struct file f;
	const struct wl_emit_arg args[] = {
		{ .key = "bytes", .type = WL_ARG_INT, .number = -64 },
		{ .key = "grid", .type = WL_ARG_KEPT_TEXT, .text = "1x1x1" },
	};

	open_file(&f, 0);
	row(&f, WL_EMIT_GROUP, 1, 0, 5, "GPU 0");
	row(&f, WL_EMIT_COUNTER, 2, 1, 0, "Busy %");
	row(&f, WL_EMIT_SLICES, 3, 1, 2, "Stream 7");
	row(&f, WL_EMIT_SLICES, 4, 1, 1, "NVTX");
	row(&f, WL_EMIT_SLICES, 5, 1, 7, "Nothing");
	f.e->ops->count(f.e, 2, 0, 1234);
	f.e->ops->count(f.e, 2, 1000, 5);
	f.e->ops->slice(f.e, 3,
			&(struct wl_emit_slice){ .start = 1500,
						 .end = 2001,
						 .name = "k",
						 .category = "compute",
						 .flow_in = UINT64_MAX,
						 .has_correlation = true,
						 .correlation = UINT64_C(1) << 63,
						 .args = args,
						 .n_args = WL_COUNT(args) });
	f.e->ops->close(f.e, 3);
	slice(&f, 4, 1000, 1000, "n");
	f.e->ops->close(f.e, 4);
	row(&f, WL_EMIT_PROCESS, 6, 0, 2, "python");
	row(&f, WL_EMIT_THREAD, 7, 6, 0, "main");
	row(&f, WL_EMIT_GROUP, 8, 7, 1, "more");
	row(&f, WL_EMIT_SLICES, 9, 8, 0, "NVTX");
	f.e->ops->slice(f.e, 7,
			&(struct wl_emit_slice){
				.start = 1, .end = 2, .name = "call", .flow_out = UINT64_MAX });
	f.e->ops->close(f.e, 7);
	slice(&f, 9, 3, 4, "range");
	end_file(&f);
	parse(&f);
	expect_text_of(&f, whole);
	release(&f);
}

/* As an independent way of writing them has it. */
TEST(every_nanosecond_is_written)
{
	static const struct {
		wl_ns start, end;
		const char *ts, *dur;
	} cases[] = {
		{ 0, 1, "0.000", "0.001" },
		{ -5, 0, "-0.005", "0.005" },
		{ -1000, -999, "-1.000", "0.001" },
		{ -1234567, 1234567, "-1234.567", "2469.134" },
		{ 999, 1000, "0.999", "0.001" },
		{ INT64_MAX - 1, INT64_MAX, "9223372036854775.806", "0.001" },
		{ INT64_MIN, INT64_MIN, "-9223372036854775.808", "0.000" },
		{ INT64_MIN, INT64_MAX, "-9223372036854775.808", "18446744073709551.615" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		static struct file f;
		char want[128];

		open_file(&f, 0);
		row(&f, WL_EMIT_SLICES, 1, 0, 0, "row");
		slice(&f, 1, cases[i].start, cases[i].end, "x");
		end_file(&f);
		parse(&f);
		(void)snprintf(want, sizeof(want), "\"ts\":%s,\"dur\":%s,\"name\"", cases[i].ts,
			       cases[i].dur);
		if (!strstr(f.text, want))
			fail_msg("no %s in %s", want, f.text);
		release(&f);
	}
}

/* A text in every place where there can be one, and what a strict reader makes of it. */
static void expect_text(const char *text)
{
	static struct file f;
	const struct wl_emit_arg arg = { .key = "key", .type = WL_ARG_TEXT, .text = text };
	const struct wl_json *v;

	open_file(&f, 0);
	row(&f, WL_EMIT_GROUP, 1, 0, 0, text);
	row(&f, WL_EMIT_SLICES, 2, 1, 0, text);
	row(&f, WL_EMIT_COUNTER, 3, 1, 1, text);
	f.e->ops->slice(f.e, 2,
			&(struct wl_emit_slice){
				.name = text, .category = text, .args = &arg, .n_args = 1 });
	f.e->ops->count(f.e, 3, 0, 0);
	end_file(&f);
	parse(&f);
	v = event(&f, "X", 0);
	assert_string_equal(wl_json_string(wl_json_member(v, "name")), text);
	assert_string_equal(wl_json_string(wl_json_member(v, "cat")), text);
	v = wl_json_member(wl_json_member(v, "args"), "key");
	assert_string_equal(wl_json_string(v), text);
	assert_string_equal(wl_json_string(wl_json_member(event(&f, "C", 0), "name")), text);
	for (size_t i = 0; i < 2; i++) { /* process_name and thread_name */
		v = wl_json_member(wl_json_member(event(&f, "M", i), "args"), "name");
		assert_string_equal(wl_json_string(v), text);
	}
	release(&f);
}

TEST(hostile_names_survive)
{
	static char much[100001];

	expect_text("");
	expect_text("\"},{\"ph\":\"X\"");
	expect_text("\\\\\" \\u0041 \\");
	expect_text("\001\033[31m\n\r\t\v\x7f\xc2\x85\xc2\x9b");
	expect_text("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae\xe2\x80\xac\xef\xbb\xbf");
	expect_text("</script>&amp; %s%n");
	expect_text("\xe4\xbd\xa0 e\xcc\x81 \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf");
	for (size_t i = 0; i + 1 < sizeof(much); i++) /* longer than all buffers */
		much[i] = "\xf0\x9f\x98\x80\"\xf0\x9f\x98\x80<>\n"[i % 12];
	much[sizeof(much) - 1 - (sizeof(much) - 1) % 12] = '\0';
	expect_text(much);
}

/* Of groups that hold groups or processes, the inner ones are processes. */
TEST(every_gpu_is_a_process)
{
	static struct file f;
	double pid[3];

	open_file(&f, 0);
	row(&f, WL_EMIT_GROUP, 1, 0, 0, "GPUs");
	row(&f, WL_EMIT_GROUP, 2, 1, 0, "GPU 0");
	row(&f, WL_EMIT_SLICES, 3, 2, 0, "Stream 7");
	slice(&f, 3, 0, 1, "x");
	row(&f, WL_EMIT_GROUP, 4, 1, 1, "GPU 1");
	row(&f, WL_EMIT_SLICES, 5, 4, 0, "Stream 7");
	slice(&f, 5, 0, 1, "x");
	row(&f, WL_EMIT_PROCESS, 6, 1, 2, "Process");
	row(&f, WL_EMIT_THREAD, 7, 6, 0, "Thread");
	slice(&f, 7, 0, 1, "x");
	end_file(&f);
	parse(&f);
	for (size_t i = 0; i < WL_COUNT(pid); i++)
		assert_true(wl_json_number(wl_json_member(event(&f, "X", i), "pid"), &pid[i]));
	assert_true(pid[0] == 2 && pid[1] == 4 && pid[2] == 6);
	assert_non_null(strstr(f.text, "\"Thread 4001 / CUDA API\""));
	release(&f);
}

/* Memory is for rows; where it ends, that is said, and the sink still gets no torn text. */
TEST(a_budget_too_small_is_told)
{
	static struct file f;
	bool had_enough = false;

	for (size_t limit = 1; !had_enough; limit += 64) {
		open_file(&f, limit);
		for (uint32_t id = 1; id <= 100; id++) {
			row(&f, WL_EMIT_SLICES, id, id > 50 ? id - 50 : 0, id, "a row of a name");
			slice(&f, id, 0, 1, "x");
		}
		end_file(&f);
		parse(&f);
		had_enough = !f.e->failed;
		if (had_enough)
			assert_non_null(event(&f, "X", 99));
		release(&f);
		assert_true(limit < 100000);
	}
}

/*
 * As a sum of doubles, 0.001 + 0.002 ends after 0.003 begins. Texts of arguments do not stay, and
 * the slice is written later.
 */
TEST(what_touches_the_next_is_a_pair)
{
	static const char want[] =
		"{'displayTimeUnit':'ns','traceEvents':[\n"
		"{'ph':'M','pid':1,'name':'process_name','args':{'name':'Gaps'}},\n"
		"{'ph':'M','pid':1,'tid':1,'name':'thread_name','args':{'name':'Gaps'}},\n"
		"{'ph':'B','pid':1,'tid':1,'ts':0.001,'name':'a','args':{'n':1,'t':'first'}},\n"
		"{'ph':'E','pid':1,'tid':1,'ts':0.003,'name':'a','args':{'n':1,'t':'first'}},\n"
		"{'ph':'X','pid':1,'tid':1,'ts':0.003,'dur':0.001,'name':'b'},\n"
		"{'ph':'X','pid':1,'tid':1,'ts':0.005,'dur':0.001,'name':'c'},\n"
		"{'ph':'M','pid':1,'name':'process_sort_index','args':{'sort_index':0}},\n"
		"{'ph':'M','pid':1,'tid':1,'name':'thread_sort_index','args':{'sort_index':0}}\n"
		"]}\n";
	static struct file f;
	char text[] = "first";
	const struct wl_emit_arg args[] = { { .key = "n", .type = WL_ARG_INT, .number = 1 },
					    { .key = "t", .type = WL_ARG_TEXT, .text = text } };

	open_file(&f, 0);
	row(&f, WL_EMIT_SLICES, 1, 0, 0, "Gaps");
	f.e->ops->slice(f.e, 1,
			&(struct wl_emit_slice){
				.start = 1, .end = 3, .name = "a", .args = args, .n_args = 2 });
	memset(text, '?', sizeof(text) - 1);
	slice(&f, 1, 3, 4, "b");
	slice(&f, 1, 5, 6, "c");
	f.e->ops->close(f.e, 1);
	end_file(&f);
	parse(&f);
	expect_text_of(&f, want);
	release(&f);
}
