/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   How far the scan of a file has come, for a person who waits.  */
#ifndef EMLAT_PROGRESS_H
#define EMLAT_PROGRESS_H

/* From now on, a scan that lasts for more than half a second says on stderr how far it is, and
   wipes that away at its end; does nothing unless stderr is a terminal.  */
void emlat_progress_begin(void);

/* The verb prints as it scans: on a terminal its lines are all the progress there need be.  */
void emlat_progress_stop_where_seen(void);

#endif
