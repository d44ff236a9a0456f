# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Keys, and what becomes of them: batches, commands, display."""
import sessions
from recording import check
from sessions import recipe


@recipe()
def one_key(new):
    emacs = new()
    emacs.send(b'a')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check(one['root_kind'] == 'tty_command' and one['status'] == 'normal', one)


if __name__ == '__main__':
    sessions.main()
