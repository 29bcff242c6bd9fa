#!/usr/bin/env bash
# What `ci/setup --small` fills is enough to build the GPU's part where there is no network.
#
#   small_dependencies.sh SOURCE WHEELS SCRATCH
set -euo pipefail

source=$1 wheels=$2 scratch=$3

if ! unshare -rnm true 2>/dev/null; then
  echo "cannot be tried: no namespaces here"
  exit 1
fi
mkdir -p "$scratch"
if ! "$source/ci/setup" --small "$scratch/small"; then
  echo "cannot be tried: the registries of packages are not reached"
  exit 1
fi
unshare -rnm "$source/tests/tooling/without_registries.sh" "$source" "$wheels" "$scratch/small" \
  "$scratch/build" rendezvous_test | tee "$scratch/log"
# Each library is found there, and none elsewhere.
if grep '_DIR:PATH=/' "$scratch/log" | grep -v "=$scratch/build/deps/small/"; then
  echo "these libraries are not those of the small folder"
  exit 1
fi
[[ $(grep -c "=$scratch/build/deps/small/" "$scratch/log") -ge 8 ]]
