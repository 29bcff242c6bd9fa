#!/usr/bin/env bash
# Runs a program of refinement tests as two ranks, each on a machine of its own as far as the network
# goes: two network namespaces with a cable between them. Prints what each rank prints, with its
# number, and how it ended.
#
#   unshare -rnmp --fork --kill-child --mount-proc two_hosts.sh PROGRAM FILTER [FILE]
#
# When FILE appears, the cable is pulled.
set -euo pipefail

program=$1
filter=$2
pull_when_made=${3:-}

mount -t tmpfs none /run # where `ip netns` keeps names
ip netns add host1
ip link set lo up
ip link add cable type veth peer name cable netns host1
ip address add 10.0.0.1/24 dev cable
ip link set cable up
ip -n host1 address add 10.0.0.2/24 dev cable
ip -n host1 link set cable up
ip -n host1 link set lo up

rank() { # RANK COMMAND...
  local rank=$1 code=0
  shift
  env RANK="$rank" WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MASTER_ADDR=10.0.0.1 \
    MASTER_PORT=29500 "$@" --gtest_filter="$filter" 2>&1 | sed "s/^/$rank: /" || code=${PIPESTATUS[0]}
  echo "$rank: ended with exit code $code after $SECONDS s"
}
rank 1 ip netns exec host1 "$program" &
rank 0 "$program" &

if [[ -n $pull_when_made ]]; then
  until [[ -e $pull_when_made ]]; do sleep 0.05; done
  ip link set cable down
fi
wait
