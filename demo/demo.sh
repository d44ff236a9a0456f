#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
#
# The main job on a real Emacs: play a session of editing, record it from inside and from outside,
# then show the report, the slowest interaction, and how the two sides agree.  `make demo' calls it
# when everything is built; it installs and builds nothing.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
emlat=$top/build/src/cli/emlat
emacs=${EMLAT_EMACS:?run it by make demo}
python=/usr/bin/python3

say() { printf '\n== %s\n' "$*" >&2; }

mkdir -p "$top/build/demo"
dir=$(mktemp -d "$top/build/demo/$(date +%Y%m%d-%H%M%S)-XXXX")
mkdir "$dir/home"
cp "$top/src/record/interaction.c" "$dir/work.c"
$python "$top/demo/make_cast.py" > "$dir/work.cast"

say "Emacs plays $(grep -c '"i"' "$dir/work.cast") scripted inputs; this takes about half a minute"
(cd "$dir" && HOME=$dir/home LC_ALL=C.UTF-8 "$emlat" replay work.cast --witness witness.json \
  -- "$emacs" -nw -Q --latency-profile=demo.emlat work.c)

say "the report"
"$emlat" report "$dir/demo.emlat"
say "the slowest interaction"
"$emlat" waterfall "$dir/demo.emlat" --tail -n 1
say "the witness: inside against outside"
$python "$top/demo/check_witness.py" "$emlat" "$dir/demo.emlat" "$dir/witness.json"
say "the recording is $dir/demo.emlat
   try: $emlat waterfall $dir/demo.emlat --tail -n 5
        $emlat dump --json $dir/demo.emlat | less"
