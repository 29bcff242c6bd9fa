// Which rank runs an HLO module, and with whom its collectives meet.
#pragma once

#include <vector>

#include "shared_ir/import/hlo/hlo_attribute.h"
#include "shared_ir/mesh.h"

namespace assay::hlo {

// Rank = replica * partitions + partition, as XLA's default device assignment numbers devices.
struct Devices {
  int64_t replicas = 1;
  int64_t partitions = 1;
  Rank rank = 0;

  int64_t ranks() const { return replicas * partitions; }
  int64_t replica() const { return rank / partitions; }
  int64_t partition() const { return rank % partitions; }
};

// Throws UserError at the module's header where its replicas and partitions do not make up `ranks`.
Devices devices_of(const Module& module, Rank rank, int64_t ranks);

// The members of the group in which an instruction meets, in order, by its replica_groups,
// channel_id and use_global_device_ids: ids of replicas, of partitions, or of ranks
// (XLA, CollectiveOpGroupMode). Throws UserError where the groups do not hold each id once.
std::vector<Rank> group_of(const Source& source, const Instruction& instruction,
                           AttributeReader& attributes, const Devices& devices);

// What a collective-permute does with this rank, by its source_target_pairs.
struct Exchange {
  std::vector<Rank> group;        // all ranks that the pairs may name
  std::vector<int64_t> sends;     // per member, 1 where this rank sends to it, else 0
  std::vector<int64_t> receives;  // per member, 1 where this rank receives from it, else 0
};

// Throws UserError where a rank sends or receives twice.
Exchange exchange_of(const Source& source, const Instruction& instruction,
                     AttributeReader& attributes, const Devices& devices);

}  // namespace assay::hlo
