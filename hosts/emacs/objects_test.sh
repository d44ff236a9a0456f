#!/usr/bin/env bash
# Without --with-latency a hooked Emacs is the released one: each object whose source a patch
# touches must come out as upstream's, byte for byte once debug information (which has line
# numbers) is taken off.  It compares the builds in the cache, and makes none.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

# Registers the primitives and knows the command-line option, so it is not a hooked object.
excepted=' emacs '

stock=$("$here/build.sh" tree stock)
unconfigured=$("$here/build.sh" tree unconfigured)
for tree in "$stock" "$unconfigured"; do
  [ -f "$tree/.emlat-complete" ] || {
    echo '1..0 # SKIP not built: make emacs-stock emacs-unconfigured'
    exit 0
  }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

bare() { # bare OBJECT RESULT: the object without what only a debugger reads
  objcopy --strip-debug --remove-section=.comment "$1" "$2"
}

difference() { # where two objects part, as comment lines
  diff <(objdump -dr --no-show-raw-insn "$scratch/a.o" | tail -n +3) \
    <(objdump -dr --no-show-raw-insn "$scratch/b.o" | tail -n +3) |
    head -n 20 | sed 's/^/# /'
}

cases=0
failed=0
report() { # report RESULT TEXT
  cases=$((cases + 1))
  echo "$1 $cases - $2"
}

for source in $("$here/build.sh" hooked unconfigured); do
  name=${source%.c}
  if [[ $excepted == *" $name "* ]]; then
    report ok "$name.o # SKIP it registers the primitives"
    continue
  fi
  bare "$stock/src/$name.o" "$scratch/a.o"
  bare "$unconfigured/src/$name.o" "$scratch/b.o"
  if cmp -s "$scratch/a.o" "$scratch/b.o"; then
    report ok "$name.o is upstream's"
  else
    report 'not ok' "$name.o is upstream's"
    difference || :
    failed=1
  fi
done
echo "1..$cases"
exit $failed
