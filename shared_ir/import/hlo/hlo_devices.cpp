#include "shared_ir/import/hlo/hlo_devices.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::hlo {
namespace {

using Ids = std::vector<int64_t>;

// What the ids of groups and pairs number.
enum class IdKind { kReplicas, kReplicasOfAllPartitions, kPartitions, kRanks };

std::vector<Ids> read_lists(const Source& source, std::string_view value) {
  Cursor cursor(source, value);
  Cursor inside(source, cursor.bracketed('{'));
  std::vector<Ids> lists;
  while (!inside.at_end()) {
    if (!lists.empty()) inside.expect(",", "','");
    Cursor list(source, inside.bracketed('{'));
    Ids& ids = lists.emplace_back();
    while (!list.at_end()) {
      if (!ids.empty()) list.expect(",", "','");
      ids.push_back(list.integer("an id"));
    }
  }
  if (!cursor.at_end()) cursor.fail("expected lists of ids");
  return lists;
}

Ids read_sizes(Cursor& cursor, char open) {
  Cursor inside(cursor.source(), cursor.bracketed(open));
  Ids sizes;
  while (!inside.at_end()) {
    if (!sizes.empty()) inside.expect(",", "','");
    sizes.push_back(inside.integer("a size"));
  }
  return sizes;
}

// "[G,S]<=[dims]T(permutation)": the numbers 0, 1, ... in the shape `dims`, transposed, cut into G
// groups of S.
std::vector<Ids> read_iota_groups(const Source& source, std::string_view value, int64_t count) {
  Cursor cursor(source, value);
  const Ids grid = read_sizes(cursor, '[');
  cursor.expect("<=", "'<='");
  const Ids dims = read_sizes(cursor, '[');
  Ids order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  Ids permutation = order;
  if (cursor.accept('T')) permutation = read_sizes(cursor, '(');
  if (!cursor.at_end()) cursor.fail("expected the end of the groups");
  Ids sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  const bool sizes_fit = element_count_fits(grid) && element_count_fits(dims) && grid.size() == 2 &&
                         element_count(grid) == count && element_count(dims) == count;
  if (!sizes_fit || sorted != order)
    source.fail(value, fmt::format("these groups do not split {} ids", count));
  Ids strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  std::vector<Ids> groups(static_cast<size_t>(grid[0]));
  for (int64_t at = 0; at < count; ++at) {
    int64_t rest = at, id = 0;
    for (size_t i = permutation.size(); i-- > 0;) {
      const auto dim = static_cast<size_t>(permutation[i]);
      id += rest % dims[dim] * strides[dim];
      rest /= dims[dim];
    }
    groups[static_cast<size_t>(at / grid[1])].push_back(id);
  }
  return groups;
}

int64_t id_count(IdKind kind, const Devices& devices) {
  switch (kind) {
    case IdKind::kReplicas:
    case IdKind::kReplicasOfAllPartitions:
      return devices.replicas;
    case IdKind::kPartitions:
      return devices.partitions;
    case IdKind::kRanks:
      return devices.ranks();
  }
  throw InternalError("ids of no kind");
}

int64_t own_id(IdKind kind, const Devices& devices) {
  return kind == IdKind::kRanks        ? devices.rank
         : kind == IdKind::kPartitions ? devices.partition()
                                       : devices.replica();
}

// The ranks that an id stands for, as this rank sees them.
void add_ranks(IdKind kind, int64_t id, const Devices& devices, std::vector<Rank>& ranks) {
  const auto rank = [&](int64_t replica, int64_t partition) {
    ranks.push_back(static_cast<Rank>(replica * devices.partitions + partition));
  };
  if (kind == IdKind::kRanks) ranks.push_back(static_cast<Rank>(id));
  if (kind == IdKind::kReplicas) rank(id, devices.partition());
  if (kind == IdKind::kPartitions) rank(devices.replica(), id);
  if (kind == IdKind::kReplicasOfAllPartitions)
    for (int64_t partition = 0; partition < devices.partitions; ++partition) rank(id, partition);
}

IdKind id_kind(const Source& source, const Instruction& instruction, AttributeReader& attributes) {
  const bool channel = attributes.has("channel_id");
  if (channel) attributes.integer("channel_id");
  const bool permutes = instruction.opcode == "collective-permute" ||
                        instruction.opcode == "all-to-all" ||
                        instruction.opcode == "collective-broadcast";
  const bool global = attributes.flag("use_global_device_ids");
  if (global && (!channel || permutes))
    source.fail(instruction.name,
                fmt::format("'{}' cannot use global device ids", instruction.name),
                permutes ? "" : "they need a channel_id");
  if (global) return IdKind::kRanks;
  if (!channel) return IdKind::kReplicas;
  return permutes ? IdKind::kPartitions : IdKind::kReplicasOfAllPartitions;
}

void check_partition(const Source& source, std::string_view value, const std::vector<Ids>& groups,
                     int64_t count) {
  std::vector<bool> seen(static_cast<size_t>(count), false);
  for (const Ids& group : groups) {
    if (group.empty()) source.fail(value, "a group is empty");
    for (int64_t id : group) {
      if (id < 0 || id >= count)
        source.fail(value, fmt::format("id {} of a group does not exist", id),
                    fmt::format("ids are 0 to {}", count - 1));
      if (seen[static_cast<size_t>(id)])
        source.fail(value, fmt::format("id {} is in a group twice", id));
      seen[static_cast<size_t>(id)] = true;
    }
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end())
    source.fail(value, fmt::format("id {} is in no group", missing - seen.begin()));
}

}  // namespace

Devices devices_of(const Module& module, Rank rank, int64_t ranks) {
  Devices devices;
  devices.rank = rank;
  devices.partitions = module.partitions.value_or(1);
  devices.replicas = module.replicas.value_or(ranks / devices.partitions);
  // Both numbers fit: a case has at most 2^20 ranks.
  if (devices.partitions > ranks || devices.replicas > ranks || devices.ranks() != ranks)
    module.source.fail(
        module.source.text,
        fmt::format("the module is compiled for {} partitions{}, the case has {} ranks",
                    devices.partitions,
                    module.replicas ? fmt::format(" of {} replicas", devices.replicas) : "", ranks),
        "set ranks in case.toml to their product");
  return devices;
}

std::vector<Rank> group_of(const Source& source, const Instruction& instruction,
                           AttributeReader& attributes, const Devices& devices) {
  const IdKind kind = id_kind(source, instruction, attributes);
  const int64_t count = id_count(kind, devices);
  std::vector<Ids> groups;
  if (attributes.has("replica_groups")) {
    const std::string_view value = attributes.text("replica_groups");
    groups =
        value.starts_with('[') ? read_iota_groups(source, value, count) : read_lists(source, value);
    if (!groups.empty()) check_partition(source, value, groups, count);
  }
  if (groups.empty()) {  // everybody
    groups.resize(1);
    for (int64_t id = 0; id < count; ++id) groups[0].push_back(id);
  }
  std::vector<Rank> ranks;
  for (const Ids& group : groups) {
    if (std::find(group.begin(), group.end(), own_id(kind, devices)) == group.end()) continue;
    for (int64_t id : group) add_ranks(kind, id, devices, ranks);
  }
  return ranks;
}

Exchange exchange_of(const Source& source, const Instruction& instruction,
                     AttributeReader& attributes, const Devices& devices) {
  const IdKind kind = id_kind(source, instruction, attributes);
  const int64_t count = id_count(kind, devices), own = own_id(kind, devices);
  Exchange exchange;
  for (int64_t id = 0; id < count; ++id) add_ranks(kind, id, devices, exchange.group);
  exchange.sends.assign(exchange.group.size(), 0);
  exchange.receives = exchange.sends;
  std::vector<bool> sent(static_cast<size_t>(count)), received = sent;
  const std::string_view value = attributes.text("source_target_pairs");
  for (const Ids& pair : read_lists(source, value)) {
    if (pair.size() != 2) source.fail(value, "expected pairs of ids");
    for (int64_t id : pair)
      if (id < 0 || id >= count)
        source.fail(value, fmt::format("id {} of a pair does not exist", id));
    const auto from = static_cast<size_t>(pair[0]), to = static_cast<size_t>(pair[1]);
    if (sent[from]) source.fail(value, fmt::format("id {} sends twice", pair[0]));
    if (received[to]) source.fail(value, fmt::format("id {} receives twice", pair[1]));
    sent[from] = received[to] = true;
    if (pair[0] == own) exchange.sends[to] = 1;
    if (pair[1] == own) exchange.receives[from] = 1;
  }
  return exchange;
}

}  // namespace assay::hlo
