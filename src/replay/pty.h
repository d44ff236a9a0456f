/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A program in a pseudoterminal: open, spawn, resize, end.

   We keep the program's side of the terminal open too.  So the master never reports a hang-up while
   we play (a program that closes and reopens its terminal would otherwise look dead), and what the
   program left unread can be counted after its end.  */
#ifndef EMLAT_PTY_H
#define EMLAT_PTY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct emlat_pty {
    int master, slave; /* -1 when closed; the master does not block */
    pid_t pid;         /* of the program, leader of its session; 0 before and after it */
};

/* 0 or a negative errno.  On failure nothing is left open.  */
int emlat_pty_open(struct emlat_pty *pty, unsigned cols, unsigned rows);

/* Start PROGRAM (searched in PATH) on the terminal, with MASK as its signal mask, every signal's
   disposition the default, TERM set, EMLAT_WORKLOAD set to WORKLOAD unless
   it is set or WORKLOAD is empty, and what would contradict the terminal's size unset.  Returns
   when the program has replaced the child or could not: then a negative errno, and no child.  */
int emlat_pty_spawn(struct emlat_pty *pty, char *const program[], const char *term,
                    const char *workload, const sigset_t *mask);

int emlat_pty_resize(struct emlat_pty *pty, unsigned cols, unsigned rows);

/* Send SIGNAL to the program and its process group.  */
void emlat_pty_signal(struct emlat_pty *pty, int signal);

/* How many of SIZE bytes about to be written the terminal will turn into a signal (by its modes of
   this moment), and so will never be read.  */
size_t emlat_pty_signal_bytes(struct emlat_pty *pty, const void *bytes, size_t size);

/* After the program's end: take what it did not read off the terminal and say how many bytes.  */
uint64_t emlat_pty_unread(struct emlat_pty *pty);

/* Close both sides.  The program, if it still runs, is hung up by that.  */
void emlat_pty_close(struct emlat_pty *pty);

#endif
