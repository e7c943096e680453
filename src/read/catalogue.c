/* SPDX-License-Identifier: MIT */
#include "read/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "known/secrets/environment.h"
#include "known/secrets/secrets.h"
#include "read/payload.h"

/* A small table: up to MAX_ASKED columns and a function that handles each row. */
enum { MAX_ASKED = 13 };

struct row {
	const struct wl_batch *batch;
	size_t i;
	const int *at; /* numbers of the requested columns */
	struct wl_build *build;
	uint32_t table; /* its name as a string */
	void *ctx;
};

typedef void take_fn(const struct row *row);

struct small_table {
	const char *name;
	struct {
		const char *name;
		enum wl_want want;
	} column[MAX_ASKED];
	take_fn *take;
};

static int64_t number(const struct row *row, int asked, int64_t def)
{
	return wl_cell_int(row->batch, row->at[asked], row->i, def);
}

static uint32_t text(const struct row *row, int asked)
{
	return wl_cell_string(row->batch, row->at[asked], row->i, row->build);
}

static void put_label(struct wl_vec *labels, uint64_t key, int64_t value)
{
	wl_vec_push(labels, &(struct wl_label){ key, value, labels->n });
}

/* The text as in the file, not terminated; "" if there is none. */
static const char *raw_text(const struct row *row, int asked, size_t *ret_n)
{
	const struct wl_batch_column *c;

	*ret_n = 0;
	if (!wl_cell_is_set(row->batch, row->at[asked], row->i))
		return "";
	c = &row->batch->column[row->at[asked]];
	*ret_n = c->len[row->i];
	return row->batch->text + c->value[row->i];
}

static bool says(const struct row *row, const char *word)
{
	size_t n;
	const char *name = raw_text(row, 0, &n);

	return memmem(name, n, word, strlen(word)) != NULL;
}

/* True for an environment variable that may hold a secret: it never becomes a string. */
static bool is_secret(const struct row *row)
{
	char name[64];
	size_t n;
	const char *value;

	value = raw_text(row, 0, &n);
	if (!wl_environment_is_row(value, n))
		return false;
	if (!says(row, "ENVIRONMENT_VARIABLE")) /* several variables, or another form */
		return true;
	value = raw_text(row, 1, &n);
	if (n >= sizeof(name))
		n = sizeof(name) - 1;
	memcpy(name, value, n);
	name[n] = '\0';
	return !wl_environment_is_kept(name);
}

/* The name that the preceding argument leaves open, whose value is this argument. */
static enum wl_secret_name name_before(const struct wl_build *build)
{
	const struct wl_meta *meta = build->meta.data;
	const size_t n = build->meta.n;

	if (n == 0 || !strstr(wl_string_get(&build->strings, meta[n - 1].name), "ARGUMENT"))
		return WL_SECRET_NO_NAME;
	return wl_secret_open_name(wl_string_get(&build->strings, meta[n - 1].value));
}

/* An argument with its secrets removed: they never reach an answer or an index. */
static uint32_t argument(const struct row *row)
{
	enum wl_secret_name next = name_before(row->build);
	size_t n;
	const char *raw = raw_text(row, 1, &n);
	char *text_of = malloc(n + 1);
	char *masked = text_of ? malloc(WL_MASKED_SIZE(n)) : NULL;
	uint32_t id = WL_NONE;

	if (!masked) {
		row->build->meta.failed = true;
	} else {
		char *end;

		memcpy(text_of, raw, n);
		text_of[n] = '\0';
		end = wl_secrets_mask(text_of, masked, &next);

		id = strstr(masked, "***")
			     ? wl_string_put(&row->build->strings, masked, (size_t)(end - masked))
			     : text(row, 1);
	}
	free(masked);
	free(text_of);
	return id;
}

static void take_meta(const struct row *row)
{
	struct wl_meta meta;

	if (is_secret(row))
		return;
	meta = (struct wl_meta){ row->table, text(row, 0),
				 says(row, "ARGUMENT") || says(row, ":COMMAND") ? argument(row)
										: text(row, 1) };
	if (meta.name != WL_NONE && meta.value != WL_NONE)
		wl_vec_push(&row->build->meta, &meta);
}

static void take_system(const struct row *row)
{
	struct wl_meta meta;

	if (is_secret(row))
		return;
	meta = (struct wl_meta){ row->table, text(row, 0), text(row, 1) };
	if (meta.name == WL_NONE || meta.value == WL_NONE)
		return;
	wl_vec_push(&row->build->meta, &meta);
	if (strcmp(wl_string_get(&row->build->strings, meta.name), "Hostname") != 0)
		return;
	row->build->host = meta.value;
	if (wl_cell_is_set(row->batch, row->at[2], row->i))
		put_label(&row->build->hosts, (uint64_t)number(row, 2, 0) >> 48, meta.value);
}

static void take_process(const struct row *row)
{
	uint32_t name = text(row, 1);

	if (name != WL_NONE && wl_cell_is_set(row->batch, row->at[0], row->i))
		put_label(&row->build->process_names, wl_process_key(row->build, number(row, 0, 0)),
			  name);
}

static void take_rank(const struct row *row)
{
	int64_t rank = number(row, 1, -1);

	if (rank >= 0 && wl_cell_is_set(row->batch, row->at[0], row->i))
		wl_vec_push(&row->build->mpi_ranks,
			    &(struct wl_mpi_rank){ wl_process_key(row->build, number(row, 0, 0)),
						   rank });
}

static void take_gpu(const struct row *row)
{
	/* 2020 files call the number deviceId, later ones id and cuDevice. */
	int64_t old = number(row, 9, -1);

	wl_vec_push(&row->build->gpus, &(struct wl_gpu){
					       .id = number(row, 0, old),
					       .ordinal = number(row, 8, old),
					       .name = text(row, 1),
					       .bus = text(row, 2),
					       .uuid = text(row, 3),
					       .memory = number(row, 4, 0),
					       .bandwidth = number(row, 5, 0),
					       .clock = number(row, 6, 0),
					       .sm_count = number(row, 7, 0),
					       .cc_major = number(row, 10, 0),
					       .cc_minor = number(row, 11, 0),
					       .copy_engines = number(row, 12, 0),
				       });
}

static void take_cuda_device(const struct row *row)
{
	struct wl_cuda_device d = { number(row, 0, -1), number(row, 1, -1), number(row, 2, -1),
				    text(row, 3) };

	if (d.pid >= 0 && d.ordinal >= 0 && d.gpu_id >= 0)
		wl_vec_push(&row->build->cuda_devices, &d);
}

/* Records what a counter's or adapter's number means; the first of several meanings counts. */
static void put_meaning(struct wl_build *b, const struct wl_metric_key *key, uint32_t meaning)
{
	uint32_t at = wl_intern_put(&b->metric_keys, key);

	if (at == WL_NONE)
		b->metric_names.failed = true;
	else if (at == b->metric_names.n)
		wl_vec_push(&b->metric_names, &meaning);
}

static void take_metric(const struct row *row)
{
	const struct wl_metric_key key = { .type = (uint64_t)number(row, 0, 0),
					   .metric = (uint32_t)number(row, 1, -1),
					   .of = WL_KEY_METRIC };

	if (wl_cell_is_set(row->batch, row->at[1], row->i))
		put_meaning(row->build, &key, text(row, 2));
}

static void take_net_metric(const struct row *row)
{
	struct wl_metric_key key = { .type = (uint64_t)number(row, 0, 0),
				     .metric = (uint32_t)number(row, 1, -1),
				     .of = WL_KEY_NET_METRIC };

	if (!wl_cell_is_set(row->batch, row->at[1], row->i))
		return;
	put_meaning(row->build, &key, text(row, 2));
	key.of = WL_KEY_NET_UNIT;
	put_meaning(row->build, &key, text(row, 3));
}

static void take_nic(const struct row *row)
{
	const struct wl_metric_key key = { .type = (uint64_t)number(row, 0, 0), .of = WL_KEY_NIC };

	if (wl_cell_is_set(row->batch, row->at[0], row->i))
		put_meaning(row->build, &key, text(row, 1));
}

static void take_nic_number(const struct row *row)
{
	const struct wl_metric_key key = { .type = (uint64_t)number(row, 0, 0),
					   .of = WL_KEY_NIC_NUMBER };
	int64_t nic = number(row, 1, -1);

	if (nic >= 0 && nic < WL_NONE && wl_cell_is_set(row->batch, row->at[0], row->i))
		put_meaning(row->build, &key, (uint32_t)nic);
}

static void take_details(const struct row *row)
{
	int64_t duration = number(row, 0, -1);

	if (row->build->session == 0)
		row->build->session = number(row, 1, 0);
	/* There is one row per machine of the capture: keep the longest. */
	if (duration >= 0 && duration <= WL_TIME_MAX && duration > row->build->duration)
		row->build->duration = duration;
}

static void take_session(const struct row *row)
{
	row->build->utc_start = number(row, 0, 0);
}

/* Invalid offsets and similar numbers mark layouts that cannot be used to read anything. */
static void list_entry(const struct row *row)
{
	/* The first entry has no offset; if others have none, their position is unknown. */
	int64_t offset = number(row, 3, number(row, 5, -1) == 0 ? 0 : -1),
		flags = number(row, 6, 0), detail = number(row, 7, 0);
	const struct wl_payload_item item = { .domain = (uint64_t)number(row, 0, -1),
					      .schema = (uint64_t)number(row, 1, -1),
					      .type = (uint64_t)number(row, 2, 0),
					      .index = (uint32_t)number(row, 5, -1),
					      .offset = (uint32_t)offset,
					      .flags = (uint32_t)flags,
					      .detail = (uint32_t)detail,
					      .name = text(row, 4),
					      .is_disputed = offset < 0 || offset > UINT16_MAX ||
							     flags < 0 || flags > UINT16_MAX ||
							     detail < 0 || detail > UINT16_MAX };

	if (item.name != WL_NONE)
		wl_payload_list(row->build, &item);
}

static void take_scope(const struct row *row)
{
	const struct wl_payload_name name = { .domain = (uint64_t)number(row, 0, -1),
					      .set = WL_PAYLOAD_SCOPES,
					      .number = (uint64_t)number(row, 1, -1),
					      .name = text(row, 2) };

	if (name.name != WL_NONE)
		wl_payload_call(row->build, &name);
}

static void take_enum(const struct row *row)
{
	const struct wl_payload_name name = { .domain = (uint64_t)number(row, 0, -1),
					      .set = (uint64_t)number(row, 1, -1),
					      .number = (uint64_t)number(row, 2, -1),
					      .name = text(row, 3) };

	if (name.name != WL_NONE)
		wl_payload_call(row->build, &name);
}

static void take_entry(const struct row *row)
{
	const struct wl_batch_column *name = &row->batch->column[row->at[4] < 0 ? 0 : row->at[4]];

	if (!wl_cell_is_set(row->batch, row->at[4], row->i))
		return;
	list_entry(row);
	/* The first entry has no offset. */
	wl_payload_learn(row->build,
			 &(struct wl_payload_entry){ .domain = number(row, 0, -1),
						     .schema = number(row, 1, -1),
						     .type = number(row, 2, -1),
						     .offset = number(row, 3, 0),
						     .name = row->batch->text + name->value[row->i],
						     .len = name->len[row->i] });
}

static const struct small_table small_tables[] = {
	{ "META_DATA_CAPTURE", { { "name", WL_WANT_TEXT }, { "value", WL_WANT_TEXT } }, take_meta },
	{ "META_DATA_EXPORT", { { "name", WL_WANT_TEXT }, { "value", WL_WANT_TEXT } }, take_meta },
	{ "EXPORT_META_DATA", { { "name", WL_WANT_TEXT }, { "value", WL_WANT_TEXT } }, take_meta },
	{ "TARGET_INFO_SYSTEM_ENV",
	  { { "name", WL_WANT_TEXT }, { "value", WL_WANT_TEXT }, { "globalVid", WL_WANT_INT } },
	  take_system },
	{ "PROCESSES", { { "globalPid", WL_WANT_INT }, { "name", WL_WANT_TEXT } }, take_process },
	{ "MPI_RANKS", { { "globalTid", WL_WANT_INT }, { "rank", WL_WANT_INT } }, take_rank },
	{ "TARGET_INFO_GPU",
	  { { "id", WL_WANT_INT },
	    { "name", WL_WANT_TEXT },
	    { "busLocation", WL_WANT_TEXT },
	    { "uuid", WL_WANT_TEXT },
	    { "totalMemory", WL_WANT_INT },
	    { "memoryBandwidth", WL_WANT_INT },
	    { "clockRate", WL_WANT_INT },
	    { "smCount", WL_WANT_INT },
	    { "cuDevice", WL_WANT_INT },
	    { "deviceId", WL_WANT_INT },
	    { "computeMajor", WL_WANT_INT },
	    { "computeMinor", WL_WANT_INT },
	    { "asyncEngines", WL_WANT_INT } },
	  take_gpu },
	{ "TARGET_INFO_CUDA_DEVICE",
	  { { "pid", WL_WANT_INT },
	    { "cudaId", WL_WANT_INT },
	    { "gpuId", WL_WANT_INT },
	    { "uuid", WL_WANT_TEXT } },
	  take_cuda_device },
	{ "TARGET_INFO_GPU_METRICS",
	  { { "typeId", WL_WANT_INT },
	    { "metricId", WL_WANT_INT },
	    { "metricName", WL_WANT_TEXT } },
	  take_metric },
	{ "TARGET_INFO_NETWORK_METRICS",
	  { { "metricsListId", WL_WANT_INT },
	    { "metricsIdx", WL_WANT_INT },
	    { "name", WL_WANT_TEXT },
	    { "unit", WL_WANT_TEXT } },
	  take_net_metric },
	{ "TARGET_INFO_NIC_INFO",
	  { { "nicId", WL_WANT_INT }, { "name", WL_WANT_TEXT } },
	  take_nic },
	{ "NIC_ID_MAP",
	  { { "globalId", WL_WANT_INT }, { "nicId", WL_WANT_INT } },
	  take_nic_number },
	{ "NVTX_PAYLOAD_SCHEMA_ENTRIES",
	  { { "domainId", WL_WANT_INT },
	    { "schemaId", WL_WANT_INT },
	    { "type", WL_WANT_INT },
	    { "offset", WL_WANT_INT },
	    { "name", WL_WANT_TEXT },
	    { "idx", WL_WANT_INT },
	    { "flags", WL_WANT_INT },
	    { "arrayOrUnionDetail", WL_WANT_INT } },
	  take_entry },
	{ "NVTX_SCOPES",
	  { { "domainId", WL_WANT_INT }, { "scopeId", WL_WANT_INT }, { "path", WL_WANT_TEXT } },
	  take_scope },
	{ "NVTX_PAYLOAD_ENUM_ENTRIES",
	  { { "domainId", WL_WANT_INT },
	    { "schemaId", WL_WANT_INT },
	    { "value", WL_WANT_INT },
	    { "name", WL_WANT_TEXT } },
	  take_enum },
	{ "ANALYSIS_DETAILS",
	  { { "duration", WL_WANT_INT }, { "startTime", WL_WANT_INT } },
	  take_details },
	{ "TARGET_INFO_SESSION_START_TIME", { { "utcEpochNs", WL_WANT_INT } }, take_session },
};

struct reading {
	const struct small_table *table;
	struct row row;
	int at[MAX_ASKED];
	size_t n_columns;
};

static int take_batch(void *ctx, const struct wl_batch *batch, struct wl_err *reterr)
{
	struct reading *r = ctx;

	r->row.batch = batch;
	for (r->row.i = 0; r->row.i < batch->n; r->row.i++)
		r->table->take(&r->row);
	r->row.build->n_mistyped += wl_batch_mistyped(batch, r->n_columns);
	if (wl_build_failed(r->row.build))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for table %s", r->row.build->path,
			       r->table->name);
	return WL_OK;
}

/* How rows of small tables are handled. */
enum { N_TAKEN = 10 };

static void list_taken(struct wl_build *b, struct wl_vec *ret[N_TAKEN])
{
	struct wl_vec *all[N_TAKEN] = { &b->meta,         &b->process_names,  &b->thread_names,
					&b->mpi_ranks,    &b->gpus,           &b->cuda_devices,
					&b->hosts,        &b->payload_fields, &b->payload_items,
					&b->payload_names };

	memcpy(ret, all, sizeof(all));
}

/* Run the query; if it must start again, the rows taken so far are discarded. */
static int take_table(const struct wl_probe_scan *query, struct wl_probe *probe,
		      struct reading *reading, struct wl_err *reterr)
{
	struct wl_vec *taken[N_TAKEN];
	size_t before[N_TAKEN], mistyped = probe->build->n_mistyped;
	int r;

	list_taken(probe->build, taken);
	for (size_t i = 0; i < N_TAKEN; i++)
		before[i] = taken[i]->n;
	r = wl_probe_scan_run(query, probe, take_batch, reading, reterr);
	if (r != WL_E_RETRY)
		return r;
	for (size_t i = 0; i < N_TAKEN; i++)
		taken[i]->n = before[i];
	probe->build->n_mistyped = mistyped;
	return wl_probe_scan_run(query, probe, take_batch, reading, reterr);
}

static int load_small(struct wl_probe *probe, const struct small_table *table, void *ctx,
		      struct wl_err *reterr)
{
	struct reading r = { .table = table };
	struct wl_probe_scan query;

	wl_probe_scan_init(&query, probe, table->name);
	for (size_t i = 0; i < MAX_ASKED; i++)
		r.at[i] = table->column[i].name
				  ? wl_probe_scan_ask(&query, probe, table->column[i].name,
						      table->column[i].want)
				  : -1;
	r.row.at = r.at;
	r.n_columns = query.scan.n_columns;
	r.row.build = probe->build;
	r.row.ctx = ctx;
	if (query.table != WL_NONE)
		r.row.table =
			((const uint32_t *)probe->build->column[WL_TABLES_NAME].data)[query.table];
	return take_table(&query, probe, &r, reterr);
}

int wl_catalogue_load(struct wl_probe *probe, struct wl_err *reterr)
{
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < WL_COUNT(small_tables); i++)
		r = load_small(probe, &small_tables[i], NULL, reterr);
	return r;
}

struct resolver {
	wl_resolve_fn *resolve;
	void *ctx;
};

static void take_thread_name(const struct row *row)
{
	const struct resolver *r = row->ctx;
	uint32_t name = r->resolve(r->ctx, number(row, 1, -1));

	if (name != WL_NONE && wl_cell_is_set(row->batch, row->at[0], row->i))
		put_label(&row->build->thread_names, wl_thread_key(row->build, number(row, 0, 0)),
			  name);
}

static const struct small_table thread_table = {
	"ThreadNames", { { "globalTid", WL_WANT_INT }, { "nameId", WL_WANT_INT } }, take_thread_name
};

int wl_catalogue_threads(struct wl_probe *probe, wl_resolve_fn *resolve, void *ctx,
			 struct wl_err *reterr)
{
	struct resolver r = { resolve, ctx };

	return load_small(probe, &thread_table, &r, reterr);
}

static bool asks(const struct small_table *t, const char *table, const char *column)
{
	for (size_t i = 0; strcmp(t->name, table) == 0 && i < MAX_ASKED && t->column[i].name; i++) {
		if (!column || strcmp(t->column[i].name, column) == 0)
			return true;
	}
	return false;
}

bool wl_catalogue_asks(const char *table, const char *column)
{
	for (size_t i = 0; i < WL_COUNT(small_tables); i++) {
		if (asks(&small_tables[i], table, column))
			return true;
	}
	return asks(&thread_table, table, column);
}
