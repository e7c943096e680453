/* SPDX-License-Identifier: MIT */
#include "agent/tools/wording.h"

#include <ctype.h>
#include <string.h>

#include "agent/tools/askable.h"
#include "analysis/args.h"
#include "base/text/text.h"

#define COMMAND "warplens "

enum { NAME_CAP = 48 };

/* A text under way. */
struct wording {
	struct wl_tool_call *c;
	const char *text, *at; /* what is read, and how far */
	struct wl_text to;
	const struct wl_analysis *of; /* the verb that is spoken of; NULL: any */
	bool names_file;              /* an option stayed that tools do not take */
	bool is_listing; /* between ``` and ```: options are also those of other programs */
};

/* What a command is as a call. */
struct spoken {
	const char *tool;     /* NULL: none does what it does */
	struct wl_askable of; /* of analyze; else analysis is NULL */
};

/* An option by the name of its argument. */
struct argument {
	char name[NAME_CAP + 16];
	bool is_known, is_switch;
	bool is_of_file; /* tools do not take it */
};

/* ---- What the caller wrote ---- */

static bool has(const struct wl_json *value, const char *word)
{
	return wl_json_string(value) && strstr(wl_json_string(value), word);
}

/* A member of the arguments, or of one that is an object or a list, contains the word. */
static bool is_within(const struct wl_json *value, const char *word)
{
	const struct wl_json *member;
	const void *at = NULL;
	const char *key;

	if (has(value, word))
		return true;
	if (wl_json_type_of(value) == WL_JSON_ARRAY) {
		for (size_t i = 0; i < wl_json_size(value); i++) {
			if (has(wl_json_at(value, i), word))
				return true;
		}
	} else if (wl_json_type_of(value) == WL_JSON_OBJECT) {
		while (wl_json_next(value, &at, &key, &member)) {
			if (has(member, word) || strstr(key, word))
				return true;
		}
	}
	return false;
}

static bool is_of_caller(const struct wording *w, const char *begin, size_t n)
{
	const struct wl_json *value;
	char word[NAME_CAP + 16];
	const void *at = NULL;
	const char *key;

	if (!w->c->args || n >= sizeof(word))
		return false;
	memcpy(word, begin, n);
	word[n] = '\0';
	while (wl_json_next(w->c->args, &at, &key, &value)) {
		if (strstr(key, word) || is_within(value, word))
			return true;
	}
	return false;
}

/* ---- Options ---- */

static bool is_name_byte(char b)
{
	return isalnum((unsigned char)b) || b == '-' || b == '_';
}

/* Bytes of an option as it stands there, "--by" or "-n"; 0 for none. */
static size_t option_length(const char *at)
{
	size_t n = strncmp(at, "--", 2) == 0 ? 2 : 1;

	if (*at != '-' || !islower((unsigned char)at[n]))
		return 0;
	if (n == 1)
		return at[1] == 'n' && !is_name_byte(at[2]) && at[2] != '=' ? 2 : 0;
	while (is_name_byte(at[n]))
		n++;
	return at[n] == '=' ? 0 : n;
}

/* What tools take besides options of the verb. */
static bool is_common(const char *name)
{
	static const char *const common[] = { "window",  "gpu",    "pid",    "rank",
					      "stream",  "marker", "where",  "sort",
					      "columns", "traces", "section" };

	for (size_t i = 0; i < WL_COUNT(common); i++) {
		if (strcmp(common[i], name) == 0)
			return true;
	}
	return false;
}

/* An option of the verb, also one that tools do not take. */
static const struct wl_param *find_param(const struct wl_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->n_params; i++) {
		const struct wl_param *p = &a->params[i];

		if (!p->operand && (wl_key_is(p->key, name, strlen(name)) ||
				    wl_key_is(p->alias, name, strlen(name))))
			return p;
	}
	return NULL;
}

/* That of the verb, else of the first that has one which tools take, else of any; or NULL. */
static const struct wl_param *param_of(const struct wl_analysis *a, const char *name)
{
	const struct wl_param *p = a ? find_param(a, name) : NULL, *any = NULL;
	struct wl_askable of;

	for (size_t i = 0; !p && wl_askable_at(i, &of); i++) {
		any = find_param(of.analysis, name);
		p = any && wl_param_is_value(any) ? any : NULL;
	}
	return p ? p : any;
}

static struct argument argument_of(const struct wl_analysis *a, const char *option, size_t n)
{
	size_t dashes = option[1] == '-' ? 2 : 1;
	struct argument ret = { .is_known = false };
	const struct wl_param *p = NULL;
	char name[NAME_CAP], buf[64];

	if (n - dashes >= sizeof(name))
		return ret;
	memcpy(name, option + dashes, n - dashes);
	name[n - dashes] = '\0';
	if (dashes == 1)
		(void)snprintf(ret.name, sizeof(ret.name), "limit");
	else if (is_common(name))
		(void)snprintf(ret.name, sizeof(ret.name), "%s", name);
	else
		p = param_of(a, name);
	ret.is_of_file = p && !wl_param_is_value(p);
	if (p && !ret.is_of_file && strlen(p->key) < NAME_CAP) {
		(void)snprintf(ret.name, sizeof(ret.name), "options.%s",
			       wl_param_spelling(p->key, buf));
		ret.is_switch = p->type == WL_P_BOOL;
	}
	ret.is_known = ret.name[0] != '\0';
	return ret;
}

/* Tools but analyze take their options by themselves. */
static struct argument own_argument(const char *option, size_t n)
{
	struct argument ret = argument_of(NULL, option, n);
	size_t dashes = option[1] == '-' ? 2 : 1;

	if (dashes == 1 || n - dashes >= NAME_CAP)
		return ret;
	(void)snprintf(ret.name, sizeof(ret.name), "%.*s", (int)(n - dashes), option + dashes);
	ret.is_known = true;
	return ret;
}

static bool put_option(struct wording *w)
{
	size_t n = option_length(w->at);
	struct argument arg;

	if (n == 0 || is_of_caller(w, w->at, n))
		return false;
	arg = argument_of(w->of, w->at, n);
	w->names_file |= arg.is_of_file;
	if (!arg.is_known)
		return false;
	wl_text_puts(&w->to, arg.name);
	w->at += n;
	return true;
}

/* ---- Commands ---- */

/* Bytes of a word of a command: to the next blank, or to its quote. */
static size_t word_length(const char *at)
{
	const char *end = *at == '\'' ? strchr(at + 1, '\'') : NULL;
	size_t n = end ? (size_t)(end - at) + 1 : strcspn(at, " \n\"`);");

	/* The end of a sentence is no part of it. */
	while (!end && n > 0 && strchr(".:,", at[n - 1]))
		n--;
	return n;
}

static bool ends_in(const char *word, size_t n, const char *end)
{
	size_t k = strlen(end);

	return n >= k && strncmp(word + n - k, end, k) == 0;
}

/* It stands for a trace, which a call has already. */
static bool is_trace(const char *word, size_t n)
{
	return memchr(word, '/', n) || ends_in(word, n, ".sqlite") ||
	       (n == strlen("TRACE") && strncmp(word, "TRACE", n) == 0);
}

/* PATTERN, or 'a text': to be filled in, or an example. */
static bool is_value(const char *word, size_t n)
{
	size_t upper = 0;

	while (upper < n && (isupper((unsigned char)word[upper]) || word[upper] == '_'))
		upper++;
	return n > 0 && (upper == n || *word == '\'');
}

static struct spoken find_call(const char *verb)
{
	static const struct {
		const char *verb, *tool;
	} others[] = { { "explain", "describe" },  { "help", "describe" },
		       { "plan", "plan_capture" }, { "findings", "findings" },
		       { "sql", "sql" },           { "diff", "diff" } };
	struct spoken ret = { .tool = NULL };
	struct wl_err err;

	for (size_t i = 0; i < WL_COUNT(others); i++) {
		if (strcmp(others[i].verb, verb) == 0)
			ret.tool = others[i].tool;
	}
	if (ret.tool)
		return ret;
	if (wl_askable_find(verb, &ret.of, &err) == WL_OK && !ret.of.alias && !ret.of.document)
		ret.tool = "analyze";
	else
		ret.of.analysis = NULL;
	return ret;
}

/* " options.by=name"; an option that the call does not take stays. Returns how much it read. */
static size_t put_in_call(struct wording *w, const struct spoken *call, const char *option,
			  size_t n)
{
	const struct argument arg = call->of.analysis ? argument_of(call->of.analysis, option, n)
						      : own_argument(option, n);
	const char *next = option[n] == ' ' ? option + n + 1 : NULL;
	size_t size = next && *next != '-' && !arg.is_switch ? word_length(next) : 0;

	if (!call->tool || !arg.is_known)
		wl_text_printf(&w->to, " %.*s%s%.*s", (int)n, option, size ? " " : "", (int)size,
			       size ? next : "");
	else
		wl_text_printf(&w->to, " %s=%.*s", arg.name, size ? (int)size : 4,
			       size ? next : "true");
	return n + (size ? 1 + size : 0);
}

/* What follows a verb: options, and words that stand for something. */
static void put_rest(struct wording *w, const struct spoken *call)
{
	while (*w->at == ' ') {
		const char *word = w->at + 1;
		size_t n = option_length(word), size = word_length(word);

		if (n > 0) {
			w->at = word + put_in_call(w, call, word, n);
		} else if (is_trace(word, size) || is_value(word, size)) {
			if (!call->tool || !is_trace(word, size))
				wl_text_printf(&w->to, " %.*s", (int)size, word);
			w->at = word + size;
		} else {
			return;
		}
	}
}

static bool put_command(struct wording *w)
{
	const char *begin = w->at + strlen(COMMAND);
	struct spoken call;
	char verb[NAME_CAP];
	size_t n = 0;

	if (strncmp(w->at, COMMAND, strlen(COMMAND)) != 0)
		return false;
	while (islower((unsigned char)begin[n]) || (n > 0 && begin[n] == '-'))
		n++;
	if (n == 0 || n >= sizeof(verb) || is_of_caller(w, w->at, strlen(COMMAND) + n))
		return false;
	memcpy(verb, begin, n);
	verb[n] = '\0';
	call = find_call(verb);
	if (!call.tool)
		wl_text_printf(&w->to, COMMAND "%s", verb);
	else
		wl_text_printf(&w->to, "%s%s%s", call.tool, call.of.analysis ? " verb=" : "",
			       call.of.analysis ? verb : "");
	w->at = begin + n;
	put_rest(w, &call);
	return true;
}

/* ---- All of it ---- */

static bool is_begin(const struct wording *w)
{
	return w->at == w->text || (!is_name_byte(w->at[-1]) && !strchr("./=", w->at[-1]));
}

static const char *reword(struct wording *w)
{
	const char *copy = NULL;

	while (*w->at) {
		if (strncmp(w->at, "```", 3) == 0)
			w->is_listing = !w->is_listing;
		if (is_begin(w) && (put_command(w) || (!w->is_listing && put_option(w))))
			continue;
		wl_text_put(&w->to, w->at++, 1);
	}
	if (!w->to.failed)
		copy = wl_arena_strdup(&w->c->arena, wl_text_get(&w->to));
	wl_text_release(&w->to);
	return copy ? copy : w->text;
}

const char *wl_wording(struct wl_tool_call *c, const struct wl_analysis *of, const char *text)
{
	struct wording w = { .c = c, .text = text, .at = text, .of = of };

	return text && (strstr(text, COMMAND) || strchr(text, '-')) ? reword(&w) : text;
}

/* The verb that the call asks. */
static const struct wl_analysis *asked_by(struct wl_tool_call *c)
{
	const struct wl_json *verb = c->args ? wl_json_member(c->args, "verb") : NULL;
	struct wl_askable of;
	struct wl_err err;

	return verb && wl_json_string(verb) &&
			       wl_askable_find(wl_json_string(verb), &of, &err) == WL_OK
		       ? of.analysis
		       : NULL;
}

const char *wl_wording_of_error(struct wl_tool_call *c, const char *text)
{
	struct wording w = { .c = c, .text = text, .at = text };
	const char *said, *more;

	if (c->args && wl_json_type_of(c->args) == WL_JSON_OBJECT)
		w.of = asked_by(c);
	said = reword(&w);
	more = w.names_file
		       ? wl_call_printf(c, "%s; only the command line takes options of files", said)
		       : NULL;
	return more ? more : said;
}
