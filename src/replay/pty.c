/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A program in a pseudoterminal.

   DESIGN.  Between fork and exec the child makes only async-signal-safe calls; everything that
   allocates (the environment) is made before.  A close-on-exec pipe tells the parent how exec went:
   its end without a byte is the moment from which the program itself runs.  */
#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

/* ---- Opening --------------------------------------------------------------------------------- */

int emlat_pty_resize(struct emlat_pty *pty, unsigned cols, unsigned rows)
{
    struct winsize size = {.ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows};
    return ioctl(pty->master, TIOCSWINSZ, &size) == 0 ? 0 : -errno;
}

static int set_flags(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return -errno;
    return 0;
}

int emlat_pty_open(struct emlat_pty *pty, unsigned cols, unsigned rows)
{
    *pty = (struct emlat_pty){.master = -1, .slave = -1};
    char name[64];
    int error = 0;

    pty->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (pty->master < 0 || grantpt(pty->master) != 0 || unlockpt(pty->master) != 0)
        error = -errno;
    if (!error)
        error = -ptsname_r(pty->master, name, sizeof name);
    if (!error)
        error = set_flags(pty->master);
    if (!error)
        error = emlat_pty_resize(pty, cols, rows);
    if (!error && (pty->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0)
        error = -errno;
    if (!error) {
        /* So that erasing in cooked mode takes whole characters, as in a terminal emulator.  */
        struct termios modes;
        if (tcgetattr(pty->slave, &modes) == 0) {
            modes.c_iflag |= IUTF8;
            tcsetattr(pty->slave, TCSANOW, &modes);
        }
    }
    if (error)
        emlat_pty_close(pty);
    return error;
}

/* ---- Spawning -------------------------------------------------------------------------------- */

static bool names(const char *variable, const char *name)
{
    size_t size = strlen(name);
    return strncmp(variable, name, size) == 0 && variable[size] == '=';
}

/* The environment with TERM set, and the name of the WORKLOAD for whoever records it, unless that
   is empty or set; COLUMNS, LINES and TERMCAP would contradict the terminal.  The array and the
   string at its head are malloced.  */
static char **make_environment(const char *term, const char *workload)
{
    static const char name[] = "EMLAT_WORKLOAD=";
    size_t count = 0, kept = 0, size = strlen("TERM=") + strlen(term) + 1;
    while (environ && environ[count])
        count++;
    char **made = malloc((count + 3) * sizeof *made);
    char *variables = malloc(size + sizeof name + strlen(workload));
    if (!made || !variables) {
        free(made);
        free(variables);
        return NULL;
    }
    made[kept++] = variables;
    sprintf(variables, "TERM=%s", term);
    if (*workload && !getenv("EMLAT_WORKLOAD")) {
        made[kept++] = variables + size;
        sprintf(variables + size, "%s%s", name, workload);
    }
    for (size_t i = 0; i < count; i++)
        if (!names(environ[i], "TERM") && !names(environ[i], "COLUMNS") &&
            !names(environ[i], "LINES") && !names(environ[i], "TERMCAP"))
            made[kept++] = environ[i];
    made[kept] = NULL;
    return made;
}

/* The child.  Does not return.  */
static void become(int slave, int report, char *const program[], char **environment,
                   const sigset_t *mask)
{
    /* Ignored signals stay ignored over exec, and a shell's background job ignores SIGINT: the
       program shall start as in a fresh terminal.  */
    for (int signal = 1; signal < NSIG; signal++)
        if (signal != SIGKILL && signal != SIGSTOP) {
            struct sigaction action = {.sa_handler = SIG_DFL};
            sigaction(signal, &action, NULL);
        }
    if (setsid() >= 0 && ioctl(slave, TIOCSCTTY, 0) == 0 && dup2(slave, 0) >= 0 &&
        dup2(slave, 1) >= 0 && dup2(slave, 2) >= 0) {
        /* Whatever our own caller left open is not the program's business.  */
        close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
        environ = environment;
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(program[0], program);
    }
    int error = errno;
    ssize_t unused = write(report, &error, sizeof error);
    (void)unused;
    _exit(127);
}

int emlat_pty_spawn(struct emlat_pty *pty, char *const program[], const char *term,
                    const char *workload, const sigset_t *mask)
{
    int report[2], error = 0;
    char **environment = make_environment(term, workload);
    if (!environment)
        return -ENOMEM;

    if (pipe2(report, O_CLOEXEC) != 0) {
        error = -errno;
    } else {
        pid_t pid = fork();
        if (pid == 0)
            become(pty->slave, report[1], program, environment, mask);
        if (pid < 0)
            error = -errno;
        close(report[1]);
        if (pid > 0) {
            int reported;
            ssize_t got;
            do
                got = read(report[0], &reported, sizeof reported);
            while (got < 0 && errno == EINTR);
            if (got == sizeof reported) {
                error = -reported;
                while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                    continue;
            } else {
                pty->pid = pid;
            }
        }
        close(report[0]);
    }
    free(environment[0]);
    free(environment);
    return error;
}

/* ---- While it runs, and after ---------------------------------------------------------------- */

void emlat_pty_signal(struct emlat_pty *pty, int signal)
{
    /* The group is the program's own since setsid; its number can't be another's, because we have
       not waited for the program yet.  */
    if (pty->pid > 0 && kill(-pty->pid, signal) != 0)
        kill(pty->pid, signal);
}

size_t emlat_pty_signal_bytes(struct emlat_pty *pty, const void *bytes, size_t size)
{
    struct termios modes;
    if (tcgetattr(pty->slave, &modes) != 0 || !(modes.c_lflag & ISIG))
        return 0;
    static const int which[] = {VINTR, VQUIT, VSUSP};
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < sizeof which / sizeof *which; k++) {
            cc_t character = modes.c_cc[which[k]];
            if (character != _POSIX_VDISABLE && character == ((const cc_t *)bytes)[i]) {
                count++;
                break;
            }
        }
    return count;
}

uint64_t emlat_pty_unread(struct emlat_pty *pty)
{
    struct termios modes;
    uint64_t count = 0;
    char bytes[4096];
    ssize_t got;
    if (pty->slave < 0 || tcgetattr(pty->slave, &modes) != 0)
        return 0;
    /* Without line editing a half-typed line counts as well; FIONREAD would miss both that and what
       the kernel has not yet moved into the terminal's own buffer.  */
    cfmakeraw(&modes);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    if (tcsetattr(pty->slave, TCSANOW, &modes) != 0 || set_flags(pty->slave) != 0)
        return 0;
    while ((got = read(pty->slave, bytes, sizeof bytes)) > 0)
        count += (uint64_t)got;
    return count;
}

void emlat_pty_close(struct emlat_pty *pty)
{
    if (pty->slave >= 0)
        close(pty->slave);
    if (pty->master >= 0)
        close(pty->master);
    pty->slave = pty->master = -1;
}
