/* SPDX-License-Identifier: MIT */
/* secrets_shapes.c - secrets that look like it, whatever they are called. */
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "known/secrets/secrets_parts.h"

static const char key_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
static const char letters_and_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

static const struct wl_secret_span nothing = { .at = NULL };

/* What follows the beginning of a key, where words with dashes may begin the same. */
enum tail {
	ANY,   /* any characters of keys */
	PLAIN, /* letters and digits alone */
	MIXED, /* with a run of 16 letters and digits that has all three kinds */
};

/* How keys begin, and how many characters follow at least. */
static const struct {
	const char *begin;
	size_t least;
	enum tail tail;
} keys[] = {
	{ "hf_", 30, PLAIN },  /* Hugging Face */
	{ "sk-", 20, MIXED },  /* OpenAI, Anthropic and others */
	{ "ghp_", 30, PLAIN }, /* GitHub, with those to github_pat_ */
	{ "gho_", 30, PLAIN },      { "ghu_", 30, PLAIN },
	{ "ghs_", 30, PLAIN },      { "ghr_", 30, PLAIN },
	{ "github_pat_", 22, ANY }, { "glpat-", 20, ANY }, /* GitLab */
	{ "AIza", 35, ANY },                               /* Google */
	{ "nvapi-", 20, ANY },                             /* NVIDIA */
	{ "npm_", 36, PLAIN },      { "dckr_pat_", 20, ANY },
	{ "xoxb-", 20, ANY }, /* Slack, with the next two */
	{ "xoxp-", 20, ANY },       { "xoxa-", 20, ANY },
	{ "gsk_", 40, PLAIN },      { "r8_", 30, PLAIN },      /* Groq, Replicate */
	{ "pypi-", 40, ANY },       { "tgp_v1_", 30, ANY },    /* Together */
	{ "xai-", 40, PLAIN },      { "glsa_", 30, ANY },      /* Grafana */
	{ "sk_live_", 20, PLAIN },  { "rk_live_", 20, PLAIN }, /* Stripe */
	{ "dapi", 32, PLAIN },                                 /* Databricks */
};

/* A run of 16 letters and digits that has all three kinds. */
static bool has_mixed_run(const char *text, size_t n)
{
	enum { RUN = 16 };
	size_t at = 0;

	while (at < n) {
		size_t run = strspn(text + at, letters_and_digits);
		bool letter, mixed;

		run = run < n - at ? run : n - at;
		(void)wl_secret_has_kinds(text + at, run, &letter, &mixed);
		if (run >= RUN && mixed)
			return true;
		at += run + 1;
	}
	return false;
}

/* AKIA or ASIA and 16 capital letters and digits. */
static bool is_aws_key(const char *word, size_t n)
{
	return n == 20 && (strncmp(word, "AKIA", 4) == 0 || strncmp(word, "ASIA", 4) == 0) &&
	       strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") >= n;
}

/* Keys with dots: SendGrid's, and access tokens of Google. */
static bool is_dotted_key(const char *word, size_t n)
{
	enum { LEAST = 24 };
	static const char *const begins[] = { "SG.", "ya29." };

	for (size_t i = 0; i < WL_COUNT(begins); i++) {
		size_t begin = strlen(begins[i]);
		bool letter, mixed;

		if (n >= begin + LEAST && strncmp(word, begins[i], begin) == 0) {
			(void)wl_secret_has_kinds(word + begin, n - begin, &letter, &mixed);
			return mixed;
		}
	}
	return false;
}

/* Three parts with dots between, of which the first and surely the second are JSON in base64. */
static bool is_jwt(const char *word, size_t n, enum wl_secret_level level)
{
	enum { SHORTEST_PART = 10 };
	const char *dot = memchr(word, '.', n), *last;

	if (strncmp(word, "eyJ", 3) != 0 || !dot || dot - word < SHORTEST_PART ||
	    (level == WL_SECRET_SURELY && strncmp(dot + 1, "eyJ", 3) != 0))
		return false;
	last = memchr(dot + 1, '.', n - (size_t)(dot + 1 - word));
	return last && (level == WL_SECRET_MAYBE || last - dot > SHORTEST_PART);
}

static bool fits(const char *text, size_t n, enum tail tail)
{
	switch (tail) {
	case PLAIN:
		return strspn(text, letters_and_digits) >= n;
	case MIXED:
		return has_mixed_run(text, n);
	case ANY:
		break;
	}
	return !memchr(text, '.', n);
}

static bool is_key(const char *word, size_t n, enum wl_secret_level level)
{
	enum { SHORTEST = 16 }; /* of a key that may be one; shorter words are names: "sk-learn" */

	for (size_t i = 0; i < WL_COUNT(keys); i++) {
		size_t begin = strlen(keys[i].begin);

		if (strncmp(word, keys[i].begin, begin) != 0)
			continue;
		if (level == WL_SECRET_MAYBE)
			return n >= SHORTEST && !memchr(word, '.', n);
		return n >= begin + keys[i].least && fits(word + begin, n - begin, keys[i].tail);
	}
	return false;
}

/* A run of characters of keys, n bytes of a longer text. */
static enum wl_secret_sign sign_of_word(const char *word, size_t n, enum wl_secret_level level)
{
	if (is_aws_key(word, n) || is_dotted_key(word, n) || is_key(word, n, level))
		return WL_SECRET_KEY;
	return is_jwt(word, n, level) ? WL_SECRET_JWT : WL_SECRET_NONE;
}

struct wl_secret_span wl_secret_find_key(const char *text, const char *from,
					 enum wl_secret_level level)
{
	/* Not within a word that began before. */
	while (from > text && *from && strchr(key_chars, from[-1]) && strchr(key_chars, *from))
		from++;
	while (*from) {
		size_t n = strspn(from, key_chars);
		/* Part of a path, as a directory that is called hf_checkpoints. */
		bool is_path = level == WL_SECRET_MAYBE &&
			       ((from > text && from[-1] == '/') || from[n] == '/');
		enum wl_secret_sign sign = n && !(is_path && !is_key(from, n, WL_SECRET_SURELY))
						   ? sign_of_word(from, n, level)
						   : WL_SECRET_NONE;

		if (sign != WL_SECRET_NONE)
			return (struct wl_secret_span){ from, n, sign };
		from += n ? n : 1;
	}
	return nothing;
}

struct wl_secret_span wl_secret_find_pem(const char *text, const char *from,
					 enum wl_secret_level level)
{
	(void)text;
	(void)level;
	const char *end = from;

	for (const char *at = strstr(from, "-----BEGIN "); at; at = strstr(at + 1, "-----BEGIN ")) {
		if (end <= at)
			end = strstr(at, "PRIVATE KEY-----");
		if (!end)
			break;
		if (end - at < 64)
			return (struct wl_secret_span){ at, strlen(at), WL_SECRET_PRIVATE_KEY };
	}
	return nothing;
}

/* A colon and what is no port: "u:pa/ss@host" has a password, "host:80/a@b" has none. */
static bool has_password_first(const char *host, size_t n)
{
	const char *colon = memchr(host, ':', n);
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	return colon && colon + 1 + digits != host + n;
}

/* The place of '@' before the host of a URL; NULL without one. A password is short. */
static const char *end_of_user(const char *host)
{
	enum { LONGEST = 256 };
	size_t authority = strcspn(host, "/ \t\n\"'?#"), n = 0;
	const char *at = memrchr(host, '@', authority);

	if (at || !has_password_first(host, authority))
		return at;
	while (n < LONGEST && host[n] && !strchr(" \t\n\"'", host[n]))
		n++;
	return memrchr(host, '@', n);
}

static bool is_http(const char *text, const char *host)
{
	return (host - text >= 7 && strncasecmp(host - 7, "http://", 7) == 0) ||
	       (host - text >= 8 && strncasecmp(host - 8, "https://", 8) == 0);
}

/* A user without a password is a token where browsers would ask for one. */
static struct wl_secret_span user_span(const char *text, const char *host,
				       enum wl_secret_level level)
{
	const char *at = end_of_user(host), *colon;
	size_t n;

	if (!at)
		return nothing;
	colon = memchr(host, ':', (size_t)(at - host));
	if (colon) {
		n = (size_t)(at - colon - 1);
		if (n == 0 || colon[1] == '$' || strncmp(colon + 1, "***@", 4) == 0)
			return nothing;
		return (struct wl_secret_span){ colon + 1, n, WL_SECRET_URL };
	}
	n = (size_t)(at - host);
	if (n == 0 || !is_http(text, host) || *host == '$' || strncmp(host, "***@", 4) == 0 ||
	    (level == WL_SECRET_SURELY && !wl_secret_looks_random(host, n)))
		return nothing;
	return (struct wl_secret_span){ host, n, WL_SECRET_URL };
}

/* What is behind the name of a service, unless it is masked or a variable. */
static struct wl_secret_span path_span(const char *path)
{
	size_t n = strcspn(path, " \t\n\"'?#");

	return n && *path != '*' && *path != '$' ? (struct wl_secret_span){ path, n, WL_SECRET_URL }
						 : nothing;
}

/* The address of a webhook is enough to post there. */
static struct wl_secret_span hook_span(const char *host)
{
	static const char *const hooks[] = {
		"hooks.slack.com/services/",    "hooks.slack.com/workflows/",
		"hooks.slack.com/triggers/",    "discord.com/api/webhooks/",
		"discordapp.com/api/webhooks/", "outlook.office.com/webhook/"
	};
	/* Teams has a name in front for each organisation. */
	static const char teams[] = ".webhook.office.com/";
	const char *domain = memchr(host, '.', strcspn(host, "/ \t\n\"'"));

	for (size_t i = 0; i < WL_COUNT(hooks); i++)
		if (strncasecmp(host, hooks[i], strlen(hooks[i])) == 0)
			return path_span(host + strlen(hooks[i]));
	return domain && strncasecmp(domain, teams, strlen(teams)) == 0
		       ? path_span(domain + strlen(teams))
		       : nothing;
}

struct wl_secret_span wl_secret_find_url(const char *text, const char *from,
					 enum wl_secret_level level)
{
	for (const char *at = strstr(from, "://"); at; at = strstr(at, "://")) {
		struct wl_secret_span span;

		at += 3;
		span = hook_span(at);
		if (!span.at)
			span = user_span(text, at, level);
		if (span.at)
			return span;
	}
	return nothing;
}

/* What comes before the values of headers that are secrets. */
static const char *const leads[] = { "bearer ", "authorization:" };

/* The value behind a lead: behind blanks and the word of a scheme, such as "Basic". */
static const char *skip_scheme(const char *at)
{
	size_t n;

	at += strspn(at, " ");
	n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
	return at[n] == ' ' ? at + n + strspn(at + n, " ") : at;
}

/* Where the value of the next header begins; NULL without one. */
static const char *next_value(const char *from)
{
	const char *first = NULL;

	for (size_t i = 0; i < WL_COUNT(leads); i++) {
		const char *at = strcasestr(from, leads[i]);

		if (at && (!first || at + strlen(leads[i]) < first))
			first = at + strlen(leads[i]);
	}
	return first;
}

struct wl_secret_span wl_secret_find_header(const char *text, const char *from,
					    enum wl_secret_level level)
{
	(void)text;
	for (const char *at = next_value(from); at; at = next_value(at)) {
		const char *value = at[-1] == ':' ? skip_scheme(at) : at;
		size_t n = strcspn(value, " \t\n\"'");
		bool letter, mixed;

		if (level == WL_SECRET_SURELY
			    ? wl_secret_looks_random(value, n)
			    : n >= 8 && wl_secret_has_kinds(value, n, &letter, &mixed))
			return (struct wl_secret_span){ value, n, WL_SECRET_JWT };
	}
	return nothing;
}
