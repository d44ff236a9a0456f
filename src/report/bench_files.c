/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A bench run's data: the rows as CSV, the figures and the run's identity as JSON.  */
#include "bench_report.h"
#include "json_write.h"

#include <inttypes.h>
#include <string.h>

/* ---- CSV ------------------------------------------------------------------------------------- */

/* No quoting: what would need it becomes a blank.  */
static void put_word(FILE *to, const char *word)
{
    for (; *word; word++)
        putc(strchr(",\r\n\"", *word) ? ' ' : *word, to);
}

static void put_name(FILE *to, const struct emlat_word_value *word, const char *class,
                     uint64_t number)
{
    if (word)
        put_word(to, word->name);
    else
        fprintf(to, "%s_%" PRIu64, class, number);
}

/* A cell after the first of its line.  */
static void put_cell(FILE *to, bool there, uint64_t value)
{
    if (there)
        fprintf(to, ",%" PRIu64, value);
    else
        putc(',', to);
}

static bool is_ns(const struct emlat_word_value *word)
{
    return word && strcmp(word->unit, "ns") == 0;
}

static void frames_header(FILE *to, const struct emlat_bench_view *view)
{
    const struct emlat_frames *frames = view->frames;
    fputs("frame,phase,start_ns,end_ns,wall_ns,covered_ns,main_covered_ns,carried_in_ns,"
          "carried_spans,coverage_lower_bound,main_thread,render_thread,position,flags,cpu_ns,"
          "switches,faults_minor,faults_major",
          to);
    for (size_t i = 0; i < frames->kinds_count; i++) {
        putc(',', to);
        put_name(to, frames->kinds[i].word, "span", frames->kinds[i].number);
        fputs("_ns", to);
    }
    for (size_t i = 0; i < view->counters->counters_count; i++) {
        const struct emlat_counter *counter = &view->counters->counters[i];
        fputs(counter->flags & EMLAT_RUN_GPU ? ",delivered_" : ",", to);
        put_name(to, counter->word, "counter", counter->number);
        if (is_ns(counter->word))
            fputs("_ns", to);
    }
    putc('\n', to);
}

static void put_flags(FILE *to, const struct emlat_run *run, const struct emlat_row *row)
{
    const char *before = "";
    putc(',', to);
    for (uint64_t left = row->frame->states; left; left &= left - 1) {
        uint64_t state = (uint64_t)__builtin_ctzll(left);
        fputs(before, to);
        put_name(to, emlat_reader_word(run->reader, EMLAT_CLASS_MARK, state), "state", state);
        before = "|";
    }
    if (row->frame->partial) {
        fprintf(to, "%spartial", before);
        before = "|";
    }
    if (row->open_at_exit)
        fprintf(to, "%sopen_at_exit", before);
}

static void frames_row(FILE *to, const struct emlat_bench_view *view, size_t i)
{
    const struct emlat_row *row = &view->frames->rows[i];
    const struct emlat_run_frame *frame = row->frame;
    const struct emlat_frames *frames = view->frames;
    uint64_t zero = view->run->t_arm;
    fprintf(to, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64, frame->id,
            row->live ? "live" : "load", frame->t_begin - zero, frame->t_end - zero,
            emlat_row_wall(row));
    put_cell(to, frames->has_roots, row->covered_ns);
    put_cell(to, frames->has_main, row->main_covered_ns);
    put_cell(to, true, row->carried_in_ns);
    put_cell(to, true, row->carried_spans);
    put_cell(to, true, row->lower_bound);
    put_cell(to, frame->present >> EMLAT_FRAME_thread_id & 1, frame->thread);
    put_cell(to, row->render_thread != 0, row->render_thread);
    put_cell(to, frame->present >> EMLAT_FRAME_position & 1, frame->position);
    put_flags(to, view->run, row);
    put_cell(to, frame->present >> EMLAT_FRAME_cpu_ns & 1, frame->cpu_ns);
    put_cell(to, frame->present >> EMLAT_FRAME_switches & 1, frame->switches);
    put_cell(to, frame->present >> EMLAT_FRAME_faults_minor & 1, frame->faults_minor);
    put_cell(to, frame->present >> EMLAT_FRAME_faults_major & 1, frame->faults_major);
    for (size_t k = 0; k < frames->kinds_count; k++)
        put_cell(to, emlat_row_ran(row, k), row->overlap[k]);
    for (size_t k = 0; k < view->counters->counters_count; k++)
        put_cell(to, view->counters->counters[k].has_row[i], view->counters->counters[k].row[i]);
    putc('\n', to);
}

void emlat_bench_frames_csv(FILE *to, const struct emlat_bench_view *view)
{
    frames_header(to, view);
    for (size_t i = 0; i < view->frames->rows_count; i++)
        frames_row(to, view, i);
}

static void put_stamp(FILE *to, const struct emlat_load *load, const struct emlat_run_entry *entry,
                      unsigned field)
{
    putc(',', to);
    if (emlat_entry_has(entry, field))
        fprintf(to, "%.3f", (double)((int64_t)entry->value[field] - load->t_zero) / 1e6);
}

static void put_gap(FILE *to, const struct emlat_gap *gap)
{
    putc(',', to);
    if (gap->has)
        fprintf(to, "%.3f", (double)gap->ns / 1e6);
}

static void job_row(FILE *to, const struct emlat_load *load, const struct emlat_job *job)
{
    const struct emlat_run_entry *entry = job->entry;
    const struct emlat_reader *reader = load->run->reader;
    uint64_t kind = entry->value[EMLAT_JOB_kind];
    fprintf(to, "%" PRIu64, entry->value[EMLAT_JOB_job_id]);
    put_cell(to, emlat_entry_has(entry, EMLAT_JOB_needs_job_id),
             entry->value[EMLAT_JOB_needs_job_id]);
    putc(',', to);
    put_name(to, emlat_reader_word(reader, EMLAT_CLASS_MARK, kind), "job", kind);
    put_cell(to, emlat_entry_has(entry, EMLAT_JOB_name_id), entry->value[EMLAT_JOB_name_id]);
    for (unsigned field = EMLAT_JOB_t_discovered; field <= EMLAT_JOB_t_joined; field++)
        put_stamp(to, load, entry, field);
    put_gap(to, &job->ready_to_enqueue);
    put_gap(to, &job->queue);
    put_gap(to, &job->budget_wait);
    put_gap(to, &job->decode);
    put_gap(to, &job->service);
    put_gap(to, &job->to_join);
    put_cell(to, job->budget_wait.has, job->budget_wait.ns > 0);
    for (unsigned field = EMLAT_JOB_outstanding_bytes; field <= EMLAT_JOB_discarded_bytes; field++)
        put_cell(to, emlat_entry_has(entry, field), entry->value[field]);
    put_cell(to, emlat_entry_has(entry, EMLAT_JOB_rss_at_finish),
             entry->value[EMLAT_JOB_rss_at_finish]);
    putc(',', to);
    const char *cache = emlat_entry_has(entry, EMLAT_JOB_cache)
                            ? emlat_type_word(EMLAT_TYPE_CACHE, entry->value[EMLAT_JOB_cache])
                            : NULL;
    fputs(cache ? cache : "", to);
    putc(',', to);
    if (emlat_entry_has(entry, EMLAT_JOB_discard_reason)) {
        uint64_t reason = entry->value[EMLAT_JOB_discard_reason];
        put_name(to, emlat_reader_word(reader, EMLAT_CLASS_MARK, reason), "reason", reason);
    }
    putc('\n', to);
}

void emlat_bench_jobs_csv(FILE *to, const struct emlat_bench_view *view)
{
    fputs("job_id,needs_job_id,kind,name_id,discovered_ms,plan_ready_ms,enqueued_ms,started_ms,"
          "decode_started_ms,finished_ms,joined_ms,ready_to_enqueue_ms,queue_delay_ms,"
          "budget_wait_ms,decode_ms,service_ms,completed_to_join_ms,budget_waited,"
          "outstanding_at_decode,items,items_failed,source_bytes,prepared_bytes,reused_bytes,"
          "output_bytes,retained_bytes,discarded_bytes,rss_at_finish,cache_result,discard_reason\n",
          to);
    for (size_t i = 0; i < view->load->jobs_count; i++)
        job_row(to, view->load, &view->load->jobs[i]);
}

/* ---- summary.json ---------------------------------------------------------------------------- */

static void json_name(struct emlat_json *json, const char *key, const struct emlat_word_value *word)
{
    if (word)
        emlat_json_string(json, key, word->name);
    else
        emlat_json_null(json, key);
}

static void json_optional(struct emlat_json *json, const char *key, bool there, uint64_t value)
{
    if (there)
        emlat_json_u64(json, key, value);
    else
        emlat_json_null(json, key);
}

/* COUNT, the sum and what is exact of VALUES; null where there is nothing to say.  */
static void json_values(struct emlat_json *json, const struct emlat_distribution *values)
{
    static const struct {
        const char *key;
        unsigned permille;
    } ranks[] = {{"p50", 500}, {"p95", 950}, {"p99", 990}};
    bool any = values->count > 0;
    emlat_json_u64(json, "n", values->count);
    json_optional(json, "total", any, values->total);
    json_optional(json, "min", any, any ? values->values[0] : 0);
    json_optional(json, "max", any, any ? values->values[values->count - 1] : 0);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        bool says = emlat_distribution_supports(values->count, ranks[i].permille);
        json_optional(json, ranks[i].key, says,
                      says ? emlat_distribution_rank(values, ranks[i].permille) : 0);
    }
}

static void json_kind(struct emlat_json *json, const struct emlat_frames *frames, size_t i)
{
    const struct emlat_kind *kind = &frames->kinds[i];
    emlat_json_open(json, NULL, '{');
    json_name(json, "name", kind->word);
    json_name(json, "parent", kind->parent < 0 ? NULL : frames->kinds[kind->parent].word);
    emlat_json_bool(json, "parent_varies", kind->parents > 1);
    emlat_json_string(json, "unit", "ns");
    json_values(json, &kind->calls);
    emlat_json_u64(json, "outermost_total", kind->outer_ns);
    emlat_json_u64(json, "self_total", kind->self_ns);
    emlat_json_u64(json, "in_live_rows", kind->live_ns);
    emlat_json_bool(json, "children_parallel", kind->parallel);
    emlat_json_u64(json, "migrated", kind->migrated);
    emlat_json_u64(json, "misnested", kind->misnested);
    emlat_json_u64(json, "unmatched_end", kind->unmatched);
    emlat_json_u64(json, "open_at_exit", kind->open);
    emlat_json_close(json, '}');
}

static void json_counter(struct emlat_json *json, const struct emlat_counter *counter)
{
    static const char *const phases[] = {"load", "live"};
    emlat_json_open(json, NULL, '{');
    json_name(json, "name", counter->word);
    emlat_json_string(json, "unit", counter->word ? counter->word->unit : "");
    emlat_json_string(json, "origin", counter->flags & EMLAT_RUN_GPU ? "gpu" : "cpu");
    emlat_json_u64(json, "unattributed", counter->unattributed);
    for (int phase = 0; phase < EMLAT_PHASES; phase++) {
        emlat_json_open(json, phases[phase], '{');
        json_values(json, &counter->samples[phase]);
        emlat_json_u64(json, "rejected", counter->rejected[phase]);
        emlat_json_close(json, '}');
    }
    emlat_json_close(json, '}');
}

/* The run's name, and the recording's own.  */
static void json_identity(struct emlat_json *json, const struct emlat_bench_view *view)
{
    char text[40];
    size_t at = 0;
    for (int i = 0; i < 16; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                               emlat_reader_file(view->run->reader)->uuid[i]);
    if (view->name)
        emlat_json_string(json, "run", view->name);
    else
        emlat_json_null(json, "run");
    emlat_json_string(json, "session", text);
}

void emlat_bench_summary_json(FILE *to, const struct emlat_bench_view *view)
{
    struct emlat_json json = {.to = to};
    const struct emlat_frames *frames = view->frames;
    bool live = frames->walls.count > 0, roots = live && frames->has_roots;
    emlat_json_open(&json, NULL, '{');
    emlat_json_string(&json, "format", "emlat-bench-summary-1");
    json_identity(&json, view);
    emlat_json_u64(&json, "records_lost", view->run->records_lost);
    json_optional(&json, "playable_ns", view->run->has_playable && view->run->playable,
                  view->run->t_playable - view->run->t_arm);
    emlat_json_open(&json, "frames", '{');
    json_values(&json, &frames->walls);
    emlat_json_u64(&json, "rows_kept", frames->rows_count);
    emlat_json_u64(&json, "rows_dropped", frames->rows_dropped);
    emlat_json_u64(&json, "rows_load", frames->load);
    emlat_json_u64(&json, "rows_live", frames->live);
    emlat_json_u64(&json, "rows_partial", frames->partial);
    json_optional(&json, "unclassified_ns", roots, frames->unclassified_ns);
    json_optional(&json, "overlap_ns", roots && frames->has_render && frames->has_main,
                  frames->overlap_ns);
    json_optional(&json, "overlap_frames", roots && frames->has_render && frames->has_main,
                  frames->overlap_rows);
    json_optional(&json, "low_1_average_ns", frames->hitches.has_low1,
                  frames->hitches.low1_average_ns);
    json_optional(&json, "low_1_integral_ns", frames->hitches.has_low1,
                  frames->hitches.low1_integral_ns);
    json_optional(&json, "low_0_1_average_ns", frames->hitches.has_low01,
                  frames->hitches.low01_average_ns);
    json_optional(&json, "low_0_1_integral_ns", frames->hitches.has_low01,
                  frames->hitches.low01_integral_ns);
    json_optional(&json, "stutters", live, frames->hitches.stutters);
    json_optional(&json, "stutter_ns", live, frames->hitches.stutter_ns);
    json_optional(&json, "frame_change_p99_ns", frames->hitches.has_delta,
                  frames->hitches.delta_p99_ns);
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "spans", '[');
    for (size_t i = 0; i < frames->kinds_count; i++)
        json_kind(&json, frames, i);
    emlat_json_close(&json, ']');
    emlat_json_open(&json, "counters", '[');
    for (size_t i = 0; i < view->counters->counters_count; i++)
        json_counter(&json, &view->counters->counters[i]);
    emlat_json_close(&json, ']');
    emlat_json_close(&json, '}');
    emlat_json_line(&json);
}

/* ---- manifest.json --------------------------------------------------------------------------- */

static void json_attribute(struct emlat_json *json, const struct emlat_run *run, const char *name,
                           const char *key)
{
    const struct emlat_attribute_value *value = emlat_reader_attribute(run->reader, name);
    if (!value)
        emlat_json_null(json, key);
    else if (value->is_text)
        emlat_json_string(json, key, value->text);
    else
        emlat_json_u64(json, key, value->number);
}

/* What the host and the recorder said of the run.  A fact that nobody stated is null.  */
void emlat_bench_manifest_json(FILE *to, const struct emlat_bench_view *view)
{
    static const char *const facts[] = {"host",
                                        "workload",
                                        "workload_sha256",
                                        "command_line",
                                        "revision",
                                        "patch_sha256",
                                        "binary_sha256",
                                        "toolchain",
                                        "adapter",
                                        "window",
                                        "render_target",
                                        "viewport",
                                        "pools",
                                        "affinity",
                                        "cache_state",
                                        "scheduling",
                                        "recorder_version",
                                        "clock",
                                        "os",
                                        "machine",
                                        "cpu",
                                        "cpus",
                                        "run_started_ns",
                                        "process_started_ns"};
    const struct emlat_attribute_value *attributes;
    size_t count = emlat_reader_attributes(view->run->reader, &attributes);
    struct emlat_json json = {.to = to};
    emlat_json_open(&json, NULL, '{');
    emlat_json_string(&json, "format", "emlat-bench-1");
    json_identity(&json, view);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        json_attribute(&json, view->run, facts[i], facts[i]);
    emlat_json_open(&json, "zeros", '{');
    emlat_json_u64(&json, "recorder_start_ns", view->run->t_arm);
    emlat_json_number(&json, "load_zero_ns", "");
    fprintf(to, "%" PRId64, view->load->t_zero);
    json_optional(&json, "first_stage_ns", view->load->stages_count > 0, view->load->t_first_stage);
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "env", '{');
    for (size_t i = 0; i < count; i++)
        if (strncmp(attributes[i].name, "env_", 4) == 0 && attributes[i].is_text)
            emlat_json_string(&json, attributes[i].name + 4, attributes[i].text);
    emlat_json_close(&json, '}');
    emlat_json_close(&json, '}');
    emlat_json_line(&json);
}
