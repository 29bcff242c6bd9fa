#!/usr/bin/env bash
# Builds targets on a machine that has torch, nvcc, cmake and ninja, and no package registry: without
# a network, and without the small libraries that this machine has, which are those of SMALL, as
# `ci/setup --small SMALL` has filled it.
#
#   unshare -rnm without_registries.sh SOURCE WHEELS SMALL BUILD TARGET...
#
# WHEELS: the folder that has torch and nvcc.
set -euo pipefail

source=$1 wheels=$2 small=$3 build=$4
shift 4

hide() {
  if [[ -d $1 ]]; then mount -t tmpfs none "$1"
  elif [[ -e $1 ]]; then mount --bind /dev/null "$1"; fi
}
for place in /usr/include/{gtest,gmock,benchmark,toml++,nlohmann,CLI,fmt,simdjson.h} \
  /usr/lib/x86_64-linux-gnu/cmake /usr/lib/cmake/{fmt,mimalloc-2.0} \
  /usr/share/cmake/{nlohmann_json,CLI11} /usr/share/cmake/nlohmann_json* \
  /usr/local/include/{gtest,gmock,benchmark,toml++,nlohmann,CLI,fmt}; do
  hide "$place"
done

# The wheels, but for those that the small folder stands in for.
deps=$build/deps
rm -rf "$build"
mkdir -p "$deps/wheels"
ln -s "$small" "$deps/small"
for wheel in "$wheels"/*; do
  case ${wheel##*/} in z3* | clang_format*) ;; *) ln -s "$wheel" "$deps/wheels/" ;; esac
done

cd "$source"
cmake --preset gpu -B "$build/build" -DASSAY_DEPS="$deps" -DASSAY_CCACHE=OFF
cmake --build "$build/build" --parallel "$(ci/jobs)" --target "$@"
grep -h '_DIR:PATH=/' "$build/build/CMakeCache.txt"
