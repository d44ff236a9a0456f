#!/usr/bin/env bash
# Put emlat's hooks into a GNU Emacs source tree: the patch series of the tree's major version
# and our own files.  It never builds and never guesses: a hunk that does not fit exactly stops
# it before anything in the tree has changed.  Run again after an edit here, it touches only the
# files that come out differently, so that `make' in the tree stays incremental.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
applied=.emlat-applied.patch            # what the tree has from us, to take it out again

usage() {
  cat <<'END'
Usage: hosts/emacs/apply.sh [-R] TREE
Apply emlat's patches to the GNU Emacs source tree TREE and copy our files into it.
  -R   take them out again
Then, in TREE: ./autogen.sh autoconf && ./configure --with-latency && make
END
}

die() { echo "apply.sh: $*" >&2; exit 1; }

# The files that a patch touches, one a line.
touched() { sed -n -e '/^+++ \/dev\/null/d' -e 's,^+++ b/\([^	]*\).*,\1,p' "$1"; }

# Copy $1 over $2, unless that is the same already.
update() {
  cmp -s "$1" "$2" && return
  mkdir -p "$(dirname "$2")"
  cp "$1" "$2"
}

undo=
case "${1-}" in
  -R) undo=yes; shift ;;
  -h | --help) usage; exit 0 ;;
esac
[ $# -eq 1 ] || { usage >&2; exit 2; }
tree=$1
[ -f "$tree/configure.ac" ] || die "$tree is not a GNU Emacs source tree (no configure.ac)"
version=$(sed -n 's/^AC_INIT(\[GNU Emacs\], *\[\([0-9.]*\)\].*/\1/p' "$tree/configure.ac")
[ -n "$version" ] || die "$tree/configure.ac does not say which Emacs it is"
series=$here/patches/${version%%.*}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree"
: > "$scratch/old.patch"
: > "$scratch/new.patch"
if [ -f "$tree/$applied" ]; then cp "$tree/$applied" "$scratch/old.patch"; fi
if [ -z "$undo" ]; then
  shopt -s nullglob
  patches=("$series"/*.patch)
  [ ${#patches[@]} -gt 0 ] || die "no patches for Emacs $version in $series"
  cat "${patches[@]}" > "$scratch/new.patch"
fi

# Work on copies of the files concerned: out with the old series, in with the new one.
touched "$scratch/old.patch" > "$scratch/files"
touched "$scratch/new.patch" >> "$scratch/files"
sort -u -o "$scratch/files" "$scratch/files"
while read -r file; do
  [ ! -f "$tree/$file" ] || (cd "$tree" && cp -p --parents "$file" "$scratch/tree")
done < "$scratch/files"

patch_copy() { # patch_copy SERIES [OPTION...]
  local file=$1; shift
  [ ! -s "$file" ] ||
    patch "$@" -d "$scratch/tree" -p1 --fuzz=0 --batch --no-backup-if-mismatch -i "$file" \
      > "$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; return 1; }
}

# A series comes out in the reverse of its order, so it is kept as one patch a file.
patch_copy "$scratch/old.patch" -R || die "the hooks in $tree were edited: can't take them out"
cp -a "$scratch/tree" "$scratch/a"
patch_copy "$scratch/new.patch" || die "the patches of $series do not fit $tree (Emacs $version)"

while read -r file; do
  if [ -f "$scratch/tree/$file" ]; then
    update "$scratch/tree/$file" "$tree/$file"
  else
    rm -f "$tree/$file"
  fi
done < "$scratch/files"

(cd "$scratch" && mv tree b && diff -Nru a b) > "$scratch/applied.patch" || [ $? -eq 1 ]
if [ -z "$undo" ]; then
  cp "$scratch/applied.patch" "$tree/$applied"
else
  rm -f "$tree/$applied"
fi

# Our own files are whole, so they are no patch.
for file in "$here"/src/* "$here"/lisp/*; do
  [ -f "$file" ] || continue
  to=$tree/$(basename "$(dirname "$file")")/$(basename "$file")
  if [ -z "$undo" ]; then update "$file" "$to"; else rm -f "$to"; fi
done
