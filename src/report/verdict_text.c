/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The verdict in words: what it is, on what grounds, and what to do next.

   Sentences are put together from tables by component and by what was in the way, so that each view
   says the same.  Advice that names knobs is for the host that has them.  */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* What a component is called in a sentence, and what to do where it is the largest.  */
static const struct {
    const char *subject;
    const char *next;       /* for any host */
    const char *emacs_busy; /* for Emacs, where it used its processor (or that is not known) */
    const char *emacs_off;  /* where it waited; null: the same */
} words[EMLAT_COMPONENTS] = {
    [EMLAT_WAIT] = {"keys waiting for their turn", "see what was in the way", NULL, NULL},
    [EMLAT_DECODE] = {"decoding keys", "look at what decodes input",
                      "look at input-decode-map, key-translation-map and what Lisp they call "
                      "(bracketed paste, mouse, terminal queries)",
                      NULL},
    [EMLAT_PRE_COMMAND] = {"pre-command-hook", "look at the hook before commands",
                           "C-h v pre-command-hook; remove its members one by one, or "
                           "M-x profiler-start RET cpu and type",
                           "C-h v pre-command-hook; one of its members waits: for a process, a "
                           "file, or the network"},
    [EMLAT_COMMAND] = {"the commands themselves", "profile the command",
                       "M-x profiler-start RET cpu, do it again, M-x profiler-report",
                       "the command waits: for a process, a file or the network (TRAMP, VC, a "
                       "language server); M-x toggle-debug-on-quit, and C-g while it hangs"},
    [EMLAT_POST_COMMAND] = {"post-command-hook", "look at the hook after commands",
                            "C-h v post-command-hook; remove its members one by one, or "
                            "M-x profiler-start RET cpu and type",
                            "C-h v post-command-hook; one of its members waits: for a process, a "
                            "file, or the network"},
    [EMLAT_REDISPLAY] = {"redisplay", "look at what makes layout dear",
                         "long lines, bidirectional text, overlays or images make layout dear: try "
                         "M-x so-long-mode, (setq-default bidi-display-reordering nil), or another "
                         "buffer",
                         NULL},
    [EMLAT_REDISPLAY_LISP] = {"Lisp that redisplay calls", "look at code that display calls",
                              "mode-line :eval, fontification (jit-lock, font-lock) or window "
                              "hooks: try (setq-default mode-line-format nil), then M-x "
                              "font-lock-mode; M-x profiler-start RET cpu names the function",
                              "code in the mode line or in fontification waits (file tests, VC, "
                              "TRAMP): try (setq-default mode-line-format nil)"},
    [EMLAT_TTY_EMIT] = {"writing to the terminal", "write less, or to a faster terminal",
                        "write less (faces, mode line, scrolling by more lines), or use a faster "
                        "terminal",
                        "the terminal or the connection takes bytes too slowly: write less (fewer "
                        "faces, a smaller frame), or try another terminal, or ssh -C"},
    [EMLAT_GC] = {"garbage collection", "allocate less",
                  "raise gc-cons-threshold, or find what allocates: M-x profiler-start RET mem",
                  NULL},
    [EMLAT_OTHER] = {"work between the named parts", "profile the program", NULL, NULL},
};

/* The same for what kept a key waiting, by root kind and component (EMLAT_IDLE: any).  */
static const struct {
    const char *kind;
    enum emlat_component component;
    const char *subject, *next;
} obstacles[] = {
    {NULL, EMLAT_GC, "garbage collection in ",
     "raise gc-cons-threshold, or find what allocates: M-x profiler-start RET mem"},
    {"timer", EMLAT_IDLE, "timers",
     "M-x list-timers shows which; M-x profiler-start RET cpu while you type names the function"},
    {"process_data", EMLAT_IDLE, "output of processes (filters)",
     "M-x list-processes shows whose; make its filter do less, or read less often"},
    {"process_sentinel", EMLAT_IDLE, "process sentinels", "M-x list-processes shows whose"},
    {"file_notification", EMLAT_IDLE, "file notifications",
     "auto-revert, file watchers of packages: try M-x global-auto-revert-mode off"},
    {"terminal_resize", EMLAT_IDLE, "resizes of the terminal", "window-size-change-functions"},
    {"thread_wakeup", EMLAT_IDLE, "Lisp threads", "a thread that does not yield holds the others"},
    {"maintenance", EMLAT_IDLE, "upkeep (garbage collection, auto-save)",
     "raise gc-cons-threshold; look at auto-save and what runs when idle"},
};

__attribute__((format(printf, 2, 3))) static void add(struct emlat_sentence *to, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(to->text + to->length, sizeof to->text - to->length, format, arguments);
    va_end(arguments);
    if (n > 0)
        to->length += (size_t)n;
    if (to->length >= sizeof to->text)
        to->length = sizeof to->text - 1;
}

const char *emlat_root_name(const struct emlat_reader *reader, uint64_t kind)
{
    const struct emlat_word_value *word =
        kind ? emlat_reader_word(reader, EMLAT_CLASS_ROOT, kind) : NULL;
    return word ? word->name : "none";
}

static bool is_emacs(const struct emlat_report *report)
{
    const struct emlat_attribute_value *host = emlat_reader_attribute(report->reader, "host");
    return host && host->is_text && strcmp(host->text, "emacs") == 0;
}

static const char *processor(int on_cpu)
{
    return on_cpu < 0 ? "" : on_cpu ? " (on CPU)" : " (off CPU: it waited)";
}

/* A row of OBSTACLES for BLAME, or -1.  */
static int obstacle_of(const struct emlat_report *report, const struct emlat_blame *blame)
{
    const char *kind = emlat_root_name(report->reader, blame->kind);
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++) {
        bool any_kind = !obstacles[i].kind;
        bool any_component = obstacles[i].component == EMLAT_IDLE;
        if ((any_kind || strcmp(obstacles[i].kind, kind) == 0) &&
            (any_component || obstacles[i].component == blame->component))
            return (int)i;
    }
    return -1;
}

/* Other commands were in the way.  Those of the tail are like them, so their own time tells what
   one takes.  */
static void say_commands(struct emlat_sentence *to, const struct emlat_report *report,
                         const struct emlat_blame *blame)
{
    const struct emlat_tail *tail = &report->summary->verdict.tail;
    char figure[EMLAT_FIGURE];
    add(to, "the commands before them (mostly %s, ", words[blame->component].subject);
    add(to, "%s ms a command)",
        emlat_ms_text(figure, tail->component[blame->component] / tail->count));
}

/* What was in the way of the keys: "timers", or "the commands before them (mostly X)".  */
static void say_obstacle(struct emlat_sentence *to, const struct emlat_report *report,
                         const struct emlat_blame *blame)
{
    int row = obstacle_of(report, blame);
    const struct emlat_word_value *word =
        blame->kind ? emlat_reader_word(report->reader, EMLAT_CLASS_ROOT, blame->kind) : NULL;
    const char *kind = emlat_root_name(report->reader, blame->kind);
    if (row >= 0 && obstacles[row].kind)
        add(to, "%s", obstacles[row].subject);
    else if (row >= 0)
        add(to, "%s%s", obstacles[row].subject,
            emlat_word_is_command(word) ? "the commands before them" : kind);
    else if (emlat_word_is_command(word))
        say_commands(to, report, blame);
    else
        add(to, "%s", blame->kind ? kind : "display that no command asked for");
}

static void say_wait(struct emlat_sentence *to, const struct emlat_report *report)
{
    const struct emlat_verdict *verdict = &report->summary->verdict;
    const struct emlat_tail *tail = &verdict->tail;
    if (!tail->blames) {
        add(to, ", for nothing that was recorded");
        return;
    }
    add(to, " behind ");
    say_obstacle(to, report, &tail->blame[0]);
    add(to, ", %.0f %% of it",
        100 * (double)tail->blame[0].ns / (double)tail->component[EMLAT_WAIT]);
}

static void say_display(struct emlat_sentence *to, const struct emlat_tail *tail)
{
    uint64_t half = tail->component[EMLAT_REDISPLAY] / 2;
    if (tail->matrices_ns > half)
        add(to, ": working out what the screen should show (desired matrices)");
    else if (tail->update_ns > half)
        add(to, ": comparing and updating rows");
}

static void say_range(struct emlat_sentence *to, const struct emlat_tail *tail)
{
    char figure[EMLAT_FIGURE];
    uint64_t mean = tail->total_ns / tail->count;
    add(to, "the %" PRIu64 " slowest answers (%s ms on average)", tail->count,
        emlat_ms_text(figure, mean));
}

void emlat_verdict_sentence(struct emlat_sentence *to, const struct emlat_report *report)
{
    const struct emlat_verdict *verdict = &report->summary->verdict;
    const struct emlat_distribution *all = &report->summary->responses.latency;
    const struct emlat_tail *tail = &verdict->tail;
    char a[EMLAT_FIGURE], b[EMLAT_FIGURE];
    double percent = 100 * verdict->share;
    to->length = 0;
    to->text[0] = '\0';
    switch (verdict->finding) {
    case EMLAT_NO_RESPONSES:
        add(to, "No key was answered in this recording: there is nothing to judge.");
        break;
    case EMLAT_NOTHING_SLOW:
        add(to,
            "Nothing here needs fixing: of %zu keys 95 in 100 were answered within %s ms, the "
            "slowest in %s ms.",
            all->count, emlat_ms_text(a, emlat_distribution_rank(all, 950)),
            emlat_ms_text(b, all->values[all->count - 1]));
        break;
    case EMLAT_NOT_IN_HOST:
        add(to, "The delay is not in %s: in ", is_emacs(report) ? "Emacs" : "the program");
        say_range(to, tail);
        if (tail->run_delay_ns > tail->uncovered_ns)
            add(to, " it was ready to run for %.0f %% of the time, and had no processor.",
                100 * (double)tail->run_delay_ns / (double)tail->total_ns);
        else
            add(to, " nothing that it did was in the way for %.0f %% of the time.",
                100 * (double)tail->uncovered_ns / (double)tail->total_ns);
        break;
    case EMLAT_NONE_REPEATS:
        add(to, "Some answers are slow, but no component repeats: in ");
        say_range(to, tail);
        add(to, " it is now this and now that (%s %.0f %%).",
            emlat_component_name(verdict->component), percent);
        break;
    case EMLAT_ONE_LEADS:
        add(to, "%.0f %% of the time of ", percent);
        say_range(to, tail);
        add(to, " went to %s", words[verdict->component].subject);
        if (verdict->component == EMLAT_REDISPLAY)
            say_display(to, tail);
        if (verdict->component == EMLAT_WAIT)
            say_wait(to, report);
        add(to, "%s.", processor(verdict->on_cpu));
        break;
    }
}

void emlat_verdict_next(struct emlat_sentence *to, const struct emlat_report *report)
{
    const struct emlat_verdict *verdict = &report->summary->verdict;
    const struct emlat_tail *tail = &verdict->tail;
    const char *program = is_emacs(report) ? "Emacs" : "the program";
    enum emlat_component component = verdict->component;
    to->length = 0;
    to->text[0] = '\0';
    if (verdict->finding == EMLAT_NO_RESPONSES)
        return;
    if (verdict->finding == EMLAT_NOTHING_SLOW) {
        add(to,
            "if it felt slow all the same, the delay is outside %s: the terminal, tmux "
            "(escape-time), ssh",
            program);
        return;
    }
    if (verdict->finding == EMLAT_NOT_IN_HOST) {
        add(to,
            "look at what else the machine does: top, uptime; a stopped or starved %s "
            "cannot answer",
            program);
        return;
    }
    if (verdict->finding == EMLAT_NONE_REPEATS) {
        add(to, "look at single ones: emlat waterfall %s --tail -n 5", report->path);
        return;
    }
    if (component == EMLAT_WAIT && tail->blames) {
        const struct emlat_blame *blame = &tail->blame[0];
        int row = obstacle_of(report, blame);
        if (row >= 0) {
            add(to, "%s", is_emacs(report) ? obstacles[row].next : words[EMLAT_WAIT].next);
            return;
        }
        component = blame->component < EMLAT_COMPONENTS ? blame->component : component;
    }
    if (!is_emacs(report) || !words[component].emacs_busy)
        add(to, "%s", words[component].next);
    else if (verdict->on_cpu == 0 && words[component].emacs_off)
        add(to, "%s", words[component].emacs_off);
    else
        add(to, "%s", words[component].emacs_busy);
    const struct emlat_attribute_value *threshold =
        emlat_reader_attribute(report->reader, "gc_cons_threshold");
    if (component == EMLAT_GC && threshold && !threshold->is_text)
        add(to, " (it is %" PRIu64 ")", threshold->number);
}
