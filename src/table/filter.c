/* SPDX-License-Identifier: MIT */
#include "table/filter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/regex.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "table/cols.h"
#include "table/filter_lex.h"
#include "table/order.h"

enum op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_MATCH, OP_NOT_MATCH };

static const char *const op_names[] = {
	[OP_EQ] = "=", [OP_NE] = "!=", [OP_LT] = "<",    [OP_LE] = "<=",
	[OP_GT] = ">", [OP_GE] = ">=", [OP_MATCH] = "~", [OP_NOT_MATCH] = "!~",
};

#define OPERATOR "one of = != < <= > >= ~ !~"

/* As other languages write them. */
static const char *const op_aliases[WL_COUNT(op_names)] = { [OP_EQ] = "==", [OP_MATCH] = "=~" };

enum kind { ALL, ANY, NOT, IS_NONE, COMPARE };

/*
 * Operands of "and" and "or" are a list, so that the depth of the tree is the
 * depth of the parentheses and not the length of the expression.
 */
struct wl_filter_node {
	enum kind kind;
	enum op op;
	size_t col;
	struct wl_cell value;
	struct wl_regex *regex;
	const char *pattern; /* source of the regex */
	struct wl_filter_node *child, *next;
	struct wl_filter_node *next_pattern;
};

struct parser {
	struct wl_filter *filter;
	struct wl_arena *arena;
	struct wl_err *reterr;
	const char *option; /* before the place in messages: "--where, " */
	const char *expr, *rest;
	struct wl_token token; /* the one to look at */
	int depth;
};

static struct wl_filter_node *parse_any(struct parser *p);
static struct wl_filter_node *parse_factor(struct parser *p);

static void advance(struct parser *p)
{
	p->token = wl_token_next(&p->rest);
}

/* "--where, character 7", counted in characters from 1. */
static void name_place(const struct parser *p, struct wl_token token, char *buf, size_t size)
{
	const char *s = p->expr;
	size_t n = 1;

	for (; s < token.text && *s; n++)
		(void)wl_utf8_next(&s);
	(void)snprintf(buf, size, "%scharacter %zu", p->option, n);
}

/* Always NULL, so that callers can return it. */
static struct wl_filter_node *fail_at(const struct parser *p, struct wl_token token,
				      const char *fmt, ...) WL_PRINTF(3, 4);

static struct wl_filter_node *fail_at(const struct parser *p, struct wl_token token,
				      const char *fmt, ...)
{
	char place[48], what[400];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	name_place(p, token, place, sizeof(place));
	(void)wl_fail(p->reterr, WL_E_USAGE, "%s: %s", place, what);
	return NULL;
}

static struct wl_filter_node *fail_expected(const struct parser *p, const char *what)
{
	int len = p->token.len < 40 ? (int)p->token.len : 40;

	if (p->token.kind == WL_TOKEN_END)
		return fail_at(p, p->token, "expected %s, but the expression ends", what);
	if (p->token.kind == WL_TOKEN_CUT)
		return fail_at(p, p->token, "the quote is never closed");
	return fail_at(p, p->token, "expected %s instead of '%.*s'", what, len, p->token.text);
}

static struct wl_filter_node *new_node(struct parser *p, enum kind kind)
{
	struct wl_filter_node *node = WL_NEW(p->arena, struct wl_filter_node, 1);

	if (node)
		node->kind = kind;
	else
		(void)wl_fail(p->reterr, WL_E_NOMEM, "no memory for the filter");
	return node;
}

static int parse_bool(const char *s, int64_t *ret, struct wl_err *reterr)
{
	static const char *const names[] = { "no", "yes", "false", "true", "0", "1" };

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (strcmp(names[i], s) == 0) {
			/* No and yes take turns in the list. */
			*ret = (int64_t)(i % 2);
			return WL_OK;
		}
	}
	return wl_fail(reterr, WL_E_USAGE, "'%.60s' is neither yes nor no", s);
}

static int parse_cell(enum wl_type type, const char *s, struct wl_cell *ret, struct wl_err *reterr)
{
	ret->set = true;
	switch (type) {
	case WL_T_STR:
	case WL_T_ENUM:
		ret->str = s;
		return WL_OK;
	case WL_T_COUNT:
		return wl_parse_count(s, &ret->i64, reterr);
	case WL_T_TIME:
	case WL_T_NS:
		return wl_parse_ns(s, &ret->i64, reterr);
	case WL_T_BYTES:
		return wl_parse_bytes(s, &ret->i64, reterr);
	case WL_T_RATIO:
		return wl_parse_ratio(s, &ret->f64, reterr);
	case WL_T_RATE:
		return wl_parse_rate(s, &ret->f64, reterr);
	case WL_T_REAL:
		return wl_parse_real(s, &ret->f64, reterr);
	case WL_T_ID:
		return wl_parse_i64(s, &ret->i64, reterr);
	case WL_T_BOOL:
		return parse_bool(s, &ret->i64, reterr);
	}
	return WL_E_USAGE;
}

static bool is_op(struct wl_token token, const char *name)
{
	return name && token.kind == WL_TOKEN_OP && strlen(name) == token.len &&
	       memcmp(name, token.text, token.len) == 0;
}

/* The operator at the token, or -1. */
static int find_op(struct wl_token token)
{
	for (int i = 0; i < (int)WL_COUNT(op_names); i++) {
		if (is_op(token, op_names[i]) || is_op(token, op_aliases[i]))
			return i;
	}
	return -1;
}

static bool is_and(struct wl_token token)
{
	return wl_token_is(token, "and") || wl_token_is(token, "&&");
}

static bool is_or(struct wl_token token)
{
	return wl_token_is(token, "or") || wl_token_is(token, "||");
}

static bool is_not(struct wl_token token)
{
	return wl_token_is(token, "not") || is_op(token, "!");
}

static bool is_match(enum op op)
{
	return op == OP_MATCH || op == OP_NOT_MATCH;
}

static bool set_pattern(struct parser *p, struct wl_filter_node *node, struct wl_err *why)
{
	if (wl_regex_new(node->pattern, WL_REGEX_SMART, &node->regex, why) < 0)
		return false;
	/*
	 * A regular expression is not of the arena: the list is how wl_filter_release() finds it.
	 */
	node->next_pattern = p->filter->patterns;
	p->filter->patterns = node;
	return true;
}

/* "100 ms": the unit of a number may be a word of its own, which becomes a part of the token. */
static void take_unit(struct parser *p, enum wl_type type)
{
	const char *rest = p->rest;
	struct wl_token unit = wl_token_next(&rest);

	const char *behind = rest;

	/* A word before an operator begins a comparison, and what is wrong is the missing "and". */
	if (wl_type_is_text(type) || p->token.kind != WL_TOKEN_WORD || unit.kind != WL_TOKEN_WORD ||
	    is_and(unit) || is_or(unit) || unit.text != p->token.text + p->token.len + 1 ||
	    wl_token_next(&behind).kind == WL_TOKEN_OP)
		return;
	p->token.len += 1 + unit.len;
	p->rest = rest;
}

/* The operand of a comparison; the current token. */
static struct wl_filter_node *parse_value(struct parser *p, struct wl_filter_node *node)
{
	const enum wl_type type = p->filter->table->cols[node->col].type;
	struct wl_err why = { .code = WL_OK };
	const char *text;
	bool ok;

	if (wl_token_is(p->token, "none")) {
		if (node->op != OP_EQ && node->op != OP_NE)
			return fail_at(p, p->token, "none goes with = and != only");
		node->kind = IS_NONE;
		return node;
	}
	if (p->token.kind != WL_TOKEN_WORD && p->token.kind != WL_TOKEN_QUOTED)
		return fail_expected(p, "a value");
	take_unit(p, type);
	text = wl_token_dup(p->token, p->arena);
	if (!text) {
		(void)wl_fail(p->reterr, WL_E_NOMEM, "no memory for the filter");
		return NULL;
	}
	node->pattern = text;
	if (is_match(node->op))
		ok = set_pattern(p, node, &why);
	else
		ok = parse_cell(type, text, &node->value, &why) == WL_OK;
	if (!ok && why.code == WL_E_NOMEM)
		(void)wl_fail(p->reterr, why.code, "%s", why.msg);
	else if (!ok)
		(void)fail_at(p, p->token, "%s", why.msg);
	return ok ? node : NULL;
}

/* Words up to an operator are one name: "Exposed comm > 1ms". Moves behind it. */
static const struct wl_col *parse_column(struct parser *p, size_t *ret_col)
{
	const struct wl_table *t = p->filter->table;
	const struct wl_token first = p->token;
	struct wl_token name = first, second;
	const struct wl_col *col;
	char place[48];

	advance(p);
	second = p->token;
	for (; name.kind == WL_TOKEN_WORD && p->token.kind == WL_TOKEN_WORD; advance(p))
		name.len = (size_t)(p->token.text - name.text) + p->token.len;
	col = wl_cols_named(t, name.text, name.len, ret_col);
	if (col)
		return col;
	if (wl_cols_named(t, first.text, first.len, ret_col)) { /* and no operator follows */
		p->token = second;
		(void)fail_expected(p, OPERATOR);
		return NULL;
	}
	name_place(p, name, place, sizeof(place));
	(void)wl_cols_unknown(t, place, name.text, name.len, p->reterr);
	return NULL;
}

static struct wl_filter_node *parse_comparison(struct parser *p)
{
	struct wl_filter_node *node = new_node(p, COMPARE);
	const struct wl_col *col;
	int op;

	if (!node)
		return NULL;
	if (p->token.kind != WL_TOKEN_WORD && p->token.kind != WL_TOKEN_QUOTED)
		return fail_expected(p, "a column");
	col = parse_column(p, &node->col);
	if (!col)
		return NULL;
	op = find_op(p->token);
	if (op < 0)
		return fail_expected(p, OPERATOR);
	node->op = (enum op)op;
	if (is_match(node->op) && !wl_type_is_text(col->type))
		return fail_at(p, p->token, "%s needs a text column; %s is a %s", op_names[op],
			       col->key, wl_type_name(col->type));
	if (col->type == WL_T_BOOL && node->op != OP_EQ && node->op != OP_NE)
		return fail_at(p, p->token, "%s is yes or no: use = or !=", col->key);
	advance(p);
	node = parse_value(p, node);
	if (node)
		advance(p);
	return node;
}

static struct wl_filter_node *parse_nested(struct parser *p)
{
	struct wl_filter_node *node, *child;

	if (is_not(p->token)) {
		advance(p);
		node = new_node(p, NOT);
		child = node ? parse_factor(p) : NULL;
		if (!child)
			return NULL;
		node->child = child;
		return node;
	}
	advance(p); /* the parenthesis */
	node = parse_any(p);
	if (!node)
		return NULL;
	if (p->token.kind != WL_TOKEN_CLOSE)
		return fail_expected(p, "and, or or )");
	advance(p);
	return node;
}

static struct wl_filter_node *parse_factor(struct parser *p)
{
	struct wl_filter_node *node;

	if (p->token.kind != WL_TOKEN_OPEN && !is_not(p->token))
		return parse_comparison(p);
	/*
	 * The parser and eval() recurse with the depth, and pages and tools send expressions, too.
	 */
	if (p->depth == WL_FILTER_DEPTH)
		return fail_at(p, p->token, "nested more than %d deep", WL_FILTER_DEPTH);
	p->depth++;
	node = parse_nested(p);
	p->depth--;
	return node;
}

typedef struct wl_filter_node *parse_fn(struct parser *p);
typedef bool is_keyword_fn(struct wl_token token);

/* Operands joined by one keyword. */
static struct wl_filter_node *parse_list(struct parser *p, enum kind kind, is_keyword_fn *is_glue,
					 parse_fn *parse_operand)
{
	struct wl_filter_node *list = new_node(p, kind), **end;

	if (!list)
		return NULL;
	end = &list->child;
	for (;;) {
		*end = parse_operand(p);
		if (!*end)
			return NULL;
		if (!is_glue(p->token))
			return list;
		end = &(*end)->next;
		advance(p);
	}
}

static struct wl_filter_node *parse_all(struct parser *p)
{
	return parse_list(p, ALL, is_and, parse_factor);
}

static struct wl_filter_node *parse_any(struct parser *p)
{
	return parse_list(p, ANY, is_or, parse_all);
}

static int init(struct wl_filter *f, const struct wl_table *t, const char *option, const char *expr,
		struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_err why = { .code = WL_OK };
	struct parser p = { .filter = f,
			    .arena = arena,
			    .reterr = &why,
			    .option = option,
			    .expr = expr,
			    .rest = expr };

	*f = (struct wl_filter){ .table = t };
	advance(&p);
	f->root = parse_any(&p);
	if (f->root && p.token.kind != WL_TOKEN_END)
		f->root = fail_expected(&p, "and, or or the end");
	if (!f->root)
		return wl_fail(reterr, why.code, "%s", why.msg);
	return WL_OK;
}

int wl_filter_init(struct wl_filter *f, const struct wl_table *t, const char *expr,
		   struct wl_arena *arena, struct wl_err *reterr)
{
	return init(f, t, "--where, ", expr, arena, reterr);
}

int wl_filter_init_bare(struct wl_filter *f, const struct wl_table *t, const char *expr,
			struct wl_arena *arena, struct wl_err *reterr)
{
	return init(f, t, "", expr, arena, reterr);
}

static bool is_unset(const struct wl_table *t, size_t col)
{
	for (size_t row = 0; row < t->n_rows; row++) {
		if (wl_table_at(t, row, col).set)
			return false;
	}
	return true;
}

/* As deep as the parentheses, which are few. */
static size_t unset_of(const struct wl_table *t, const struct wl_filter_node *node)
{
	if (node->kind == COMPARE)
		return is_unset(t, node->col) ? node->col : t->n_cols;
	for (const struct wl_filter_node *at = node->child; at; at = at->next) {
		size_t col = unset_of(t, at);

		if (col < t->n_cols)
			return col;
	}
	return t->n_cols;
}

size_t wl_filter_unset(const struct wl_filter *f)
{
	return f->root ? unset_of(f->table, f->root) : f->table->n_cols;
}

int wl_filter_ignore_case(struct wl_filter *f, struct wl_err *reterr)
{
	int changed = 0;

	for (struct wl_filter_node *node = f->patterns; node; node = node->next_pattern) {
		struct wl_regex *regex;
		int r = wl_regex_ignoring_case(node->regex, &regex, reterr);

		if (r < 0)
			return r;
		if (r == 0)
			continue;
		wl_regex_free(node->regex);
		node->regex = regex;
		changed = 1;
	}
	return changed;
}

void wl_filter_release(struct wl_filter *f)
{
	for (struct wl_filter_node *node = f->patterns; node; node = node->next_pattern)
		wl_regex_free(node->regex);
	*f = (struct wl_filter){ .table = NULL };
}

static bool holds(enum op op, int order)
{
	switch (op) {
	case OP_EQ:
		return order == 0;
	case OP_NE:
		return order != 0;
	case OP_LT:
		return order < 0;
	case OP_LE:
		return order <= 0;
	case OP_GT:
		return order > 0;
	case OP_GE:
		return order >= 0;
	case OP_MATCH:
	case OP_NOT_MATCH:
		break;
	}
	return false;
}

static int eval_comparison(const struct wl_filter *f, const struct wl_filter_node *node, size_t row)
{
	struct wl_cell cell = wl_table_at(f->table, row, node->col);
	int r;

	if (node->kind == IS_NONE)
		return cell.set == (node->op == OP_NE);
	/*
	 * As NULL of SQL: what is not set does not differ from a value either, so that != leaves it
	 * out.
	 */
	if (!cell.set)
		return 0;
	if (!is_match(node->op))
		return holds(node->op,
			     wl_order_compare(f->table->cols[node->col].type, cell, node->value));
	r = wl_regex_match(node->regex, cell.str, strlen(cell.str));
	return r < 0 ? r : r == (node->op == OP_MATCH);
}

/* 1, 0 or a negative status. Recursion is as deep as the parentheses. */
static int eval(const struct wl_filter *f, const struct wl_filter_node *node, size_t row)
{
	int r;

	switch (node->kind) {
	case NOT:
		r = eval(f, node->child, row);
		return r < 0 ? r : !r;
	case ALL:
	case ANY:
		r = 0;
		for (const struct wl_filter_node *i = node->child; i; i = i->next) {
			r = eval(f, i, row);
			if (r < 0 || r == (node->kind == ANY))
				break;
		}
		return r;
	case IS_NONE:
	case COMPARE:
		break;
	}
	return eval_comparison(f, node, row);
}

int wl_filter_match(const struct wl_filter *f, size_t row, struct wl_err *reterr)
{
	int r = eval(f, f->root, row);

	/* To leave out the row would be an answer that lacks it without a word. */
	if (r == WL_E_TIMEOUT)
		return wl_fail(reterr, WL_E_TIMEOUT,
			       "--where: a regular expression takes too many steps; simplify it");
	if (r < 0)
		return wl_fail(reterr, WL_E_NOMEM, "--where: no memory to match");
	return r;
}
