/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat bench: run a program with a frame loop and print its three reports, or print those of a run
   that is there.  The reports are made outside the program, from its recording, so a program that
   is killed or ends by _exit has them too, and a report that fails changes nothing about the run.

   What is written never replaces anything: a run has a directory of its own, and the flat copy in
   bench/ takes the first free name.  */
#include "bench_report.h"
#include "complain.h"
#include "options.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH = 4096 };

static int complain(const char *what, const char *path)
{
    fflush(stdout);
    fprintf(stderr, "emlat bench: %s %s: %s\n", what, path, strerror(errno));
    return EMLAT_EXIT_DAMAGED;
}

/* ---- Writing the files ----------------------------------------------------------------------- */

/* A file that fails costs a line; the others are written nonetheless.  */
static bool write_file(const char *directory, const char *name,
                       void (*write)(FILE *, const struct emlat_bench_view *),
                       const struct emlat_bench_view *view)
{
    char path[PATH + 32];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file)
        write(file, view);
    if (!file || ferror(file) | fclose(file)) {
        complain("cannot write", path);
        return false;
    }
    return true;
}

static bool write_files(const char *directory, const struct emlat_bench_view *view)
{
    const struct {
        const char *name;
        void (*write)(FILE *, const struct emlat_bench_view *);
        bool wanted;
    } files[] = {
        {"report.txt", emlat_bench_text, true},
        {"manifest.json", emlat_bench_manifest_json, true},
        {"summary.json", emlat_bench_summary_json, true},
        {"frames.csv", emlat_bench_frames_csv, view->frames->rows_count > 0},
        {"load_jobs.csv", emlat_bench_jobs_csv, view->load->jobs_count > 0},
    };
    bool whole = true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].wanted)
            whole &= write_file(directory, files[i].name, files[i].write, view);
    return whole;
}

/* A copy of the report for comparing runs, in DIRECTORY/STAMP.txt, or STAMP.1.txt …  */
static bool write_flat(const char *directory, const struct emlat_bench_view *view)
{
    enum { TRIES = 1000 };
    char path[PATH + 64];
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        size_t at =
            (size_t)snprintf(path, sizeof path, "%s/%012" PRIu64, directory, (uint64_t)time(NULL));
        snprintf(path + at, sizeof path - at, i ? ".%d.txt" : ".txt", i);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file)
        emlat_bench_text(file, view);
    if (!file || ferror(file) | fclose(file)) {
        complain("cannot write", path);
        return false;
    }
    return true;
}

/* ---- A run ----------------------------------------------------------------------------------- */

static bool ends_whole(const struct emlat_run *run)
{
    const struct emlat_attribute_value *complete = emlat_reader_attribute(run->reader, "complete");
    return complete && !complete->is_text && complete->number == 1;
}

/* A run is called what its directory is.  */
static const char *name_of(const char *directory)
{
    const char *slash = directory ? strrchr(directory, '/') : NULL;
    return slash ? slash + 1 : directory;
}

/* Print the reports of TRACE; with DIRECTORY write its files there, with FLAT the copy too.  */
static int report(const char *trace, const char *directory, const char *flat, uint64_t rows)
{
    struct emlat_run run;
    struct emlat_frames frames = {0};
    struct emlat_counters counters = {0};
    struct emlat_load load = {0};
    int error = emlat_run_read(&run, trace), code = EMLAT_EXIT_OK;
    /* A recording that was cut off is good up to there; what it lacks is said below.  */
    bool cut = error == EMLAT_ETRUNCATED && run.reader && emlat_reader_file(run.reader)->major;
    if (error && !cut) {
        code = emlat_complain_file(trace, run.reader);
        emlat_run_free(&run);
        return code;
    }
    error = emlat_load_from(&load, &run);
    if (!error)
        error = emlat_frames_from(&frames, &run, (size_t)rows);
    if (!error)
        error = emlat_counters_from(&counters, &frames);
    if (!error) {
        const struct emlat_bench_view view = {trace,   name_of(directory), &run, &load,
                                              &frames, &counters};
        emlat_bench_text(stdout, &view);
        if (!ends_whole(&run)) {
            puts("\nThe recording was not closed: the run ended without its done mark.");
            code = EMLAT_EXIT_FAILED;
        }
        if (run.records_lost)
            code = EMLAT_EXIT_LOSS;
        if (directory && !write_files(directory, &view))
            code = EMLAT_EXIT_DAMAGED;
        if (flat && !write_flat(flat, &view))
            code = EMLAT_EXIT_DAMAGED;
    } else {
        errno = ENOMEM;
        code = complain("cannot take in", trace);
    }
    emlat_counters_free(&counters);
    emlat_frames_free(&frames);
    emlat_load_free(&load);
    emlat_run_free(&run);
    return code;
}

static int report_operand(const char *operand, uint64_t rows)
{
    struct stat is;
    char trace[PATH];
    if (stat(operand, &is) != 0 || !S_ISDIR(is.st_mode))
        return report(operand, NULL, NULL, rows);
    if ((size_t)snprintf(trace, sizeof trace, "%s/trace.emlat", operand) >= sizeof trace) {
        errno = ENAMETOOLONG;
        return complain("cannot open", operand);
    }
    return report(trace, operand, NULL, rows);
}

/* ---- Running a program ----------------------------------------------------------------------- */

static volatile sig_atomic_t child;

/* Whoever asks us to end means the program.  */
static void pass_on(int number)
{
    if (child)
        kill((pid_t)child, number);
}

static int make_directory(const char *path)
{
    return mkdir(path, 0700) != 0 && errno != EEXIST ? -1 : 0;
}

/* emlat-artifacts/runs/UUID, and emlat-artifacts/bench beside it.  */
static int make_run(char directory[PATH])
{
    unsigned char id[16];
    if (getrandom(id, sizeof id, 0) != (ssize_t)sizeof id)
        return -1;
    id[6] = (unsigned char)((id[6] & 0x0f) | 0x40);
    id[8] = (unsigned char)((id[8] & 0x3f) | 0x80);
    if (make_directory("emlat-artifacts") || make_directory("emlat-artifacts/bench") ||
        make_directory("emlat-artifacts/runs"))
        return -1;
    size_t at = (size_t)snprintf(directory, PATH, "emlat-artifacts/runs/");
    for (int i = 0; i < 16; i++)
        at += (size_t)snprintf(directory + at, PATH - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
    return mkdir(directory, 0700);
}

static void say_start(const char *directory)
{
    char text[32];
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(text, sizeof text, "%" PRIu64, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
    setenv("EMLAT_BENCH", "1", 1);
    setenv("EMLAT_BENCH_RUN", directory, 1);
    /* Whoever started us (make) may have stamped the shell command already.  */
    setenv("EMLAT_BENCH_STARTED_NS", text, 0);
}

static int run_program(char **command, uint64_t rows)
{
    char directory[PATH], trace[PATH + 16];
    int status;
    if (make_run(directory) != 0)
        return complain("cannot make", "emlat-artifacts");
    say_start(directory);
    fflush(stdout);
    struct sigaction act = {.sa_handler = pass_on};
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        fprintf(stderr, "emlat bench: cannot run %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    if (pid < 0)
        return complain("cannot start", command[0]);
    child = pid;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    snprintf(trace, sizeof trace, "%s/trace.emlat", directory);
    int code = report(trace, directory, "emlat-artifacts/bench", rows);
    /* The program's own code says nothing about the run: some end a timed demo as an error.  */
    if (WIFSIGNALED(status))
        printf("\n%s ended by signal %d\n", command[0], WTERMSIG(status));
    else
        printf("\n%s ended with exit code %d\n", command[0], WEXITSTATUS(status));
    printf("%s\n", directory);
    return code;
}

/* ---- The verb -------------------------------------------------------------------------------- */

int emlat_verb_bench(int argc, char **argv)
{
    uint64_t rows = EMLAT_ROWS_DEFAULT;
    char **command = NULL;
    const char *operand = NULL, *wanted = getenv("EMLAT_BENCH_FRAMES");
    size_t count;
    const struct emlat_option options[] = {
        {"frames", 0, EMLAT_OPTION_NUMBER, "N", &rows, "rows of the frame table; 0 for none"},
    };
    const struct emlat_usage usage = {
        .verb = "bench",
        .operands = "RUN | -- PROGRAM…",
        .summary = "Print the three reports of RUN, a directory or a recording, or of running "
                   "PROGRAM.",
        .details =
            "examples\n"
            "  emlat bench -- ./game -timedemo demo1\n"
            "  emlat bench emlat-artifacts/runs/0b6c…\n"
            "exit codes\n"
            "  0 printed   1 the run ended without its done mark   3 the recording is damaged\n"
            "  4 records were lost\n",
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_least = 0,
        .operands_most = 1,
        .rest = &command,
    };
    if (wanted && *wanted) {
        char *end;
        uint64_t number = strtoull(wanted, &end, 10);
        if (*wanted < '0' || *wanted > '9' || *end)
            fprintf(stderr, "emlat bench: EMLAT_BENCH_FRAMES=%s is no number; %d rows\n", wanted,
                    EMLAT_ROWS_DEFAULT);
        else
            rows = number;
    }
    int code = emlat_options_parse(&usage, argc, argv, &operand, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    if (!count == !command)
        return emlat_options_wrong(&usage, "wants a run, or -- and a program");
    return command ? run_program(command, rows) : report_operand(operand, rows);
}
