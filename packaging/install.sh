#!/bin/sh
# Installs the command of a release: fetches the archive for this machine, compares its checksum, and puts `llmend` into
# ~/.local/bin, with completions and manual pages where they are looked up.
#
#   curl -fsSL https://github.com/llmend/llmend/releases/latest/download/install.sh | sh
#
# LLMEND_PREFIX takes the place of ~/.local, and LLMEND_FROM that of the address of the release.
set -eu

prefix="${LLMEND_PREFIX:-$HOME/.local}"
from="${LLMEND_FROM:-https://github.com/llmend/llmend/releases/latest/download}"

fail() {
    printf 'llmend: %s\n' "$1" >&2
    exit 1
}

case "$(uname -s)-$(uname -m)" in
    # Linked statically, so that any Linux will do.
    Linux-x86_64) target=x86_64-unknown-linux-musl ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
    Darwin-x86_64) target=x86_64-apple-darwin ;;
    Darwin-arm64) target=aarch64-apple-darwin ;;
    *) fail "no archive for $(uname -s) on $(uname -m); use \`cargo install llmend-cli\`" ;;
esac
target="${LLMEND_TARGET:-$target}"
archive="llmend-$target.tar.gz"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
curl -fsSL -o "$work/$archive" "$from/$archive" || fail "cannot fetch $from/$archive"
curl -fsSL -o "$work/SHA256SUMS" "$from/SHA256SUMS" || fail "cannot fetch $from/SHA256SUMS"

expected="$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")"
if command -v sha256sum >/dev/null; then
    found="$(sha256sum "$work/$archive")"
else
    found="$(shasum -a 256 "$work/$archive")"
fi
[ -n "$expected" ] && [ "${found%% *}" = "$expected" ] || fail "$archive does not have the checksum in SHA256SUMS"

tar -xzf "$work/$archive" -C "$work"
unpacked="$work/llmend-$target"
mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" \
    "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"
# Beside the old one and then in its place, since a running program cannot be written to.
cp "$unpacked/llmend" "$prefix/bin/.llmend.new"
mv "$prefix/bin/.llmend.new" "$prefix/bin/llmend"
cp "$unpacked"/man/man1/*.1 "$prefix/share/man/man1/"
cp "$unpacked/completions/llmend.bash" "$prefix/share/bash-completion/completions/llmend"
cp "$unpacked/completions/_llmend" "$prefix/share/zsh/site-functions/_llmend"
cp "$unpacked/completions/llmend.fish" "$prefix/share/fish/vendor_completions.d/llmend.fish"

printf '%s is installed as %s/bin/llmend\n' "$("$prefix/bin/llmend" --version)" "$prefix"
case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) printf 'Add %s/bin to PATH.\n' "$prefix" ;;
esac
