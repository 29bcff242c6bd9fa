#include "assay/placement.h"

#include <utility>

namespace assay {
namespace {

std::string to_string(const Placement::Word& word) {
  if (word.kind == Placement::Word::Kind::kPartial) return "Partial(\"" + word.axis + "\")";
  if (word.kind == Placement::Word::Kind::kOn)
    return "On(\"" + word.axis + "\", " + std::to_string(word.coordinate) + ")";
  std::string text = "(\"" + word.axis + "\", " + std::to_string(word.dim);
  if (word.blocks.empty()) return "Shard" + text + ")";
  const char* separator = ", {";
  for (int64_t size : word.blocks) {
    text += separator + std::to_string(size);
    separator = ", ";
  }
  return "ShardBlocks" + text + "})";
}

}  // namespace

Placement::Placement(std::initializer_list<Placement> placements) {
  for (const Placement& placement : placements) {
    words_.insert(words_.end(), placement.words_.begin(), placement.words_.end());
  }
}

Placement Replicate() { return Placement(); }

Placement Shard(std::string axis, int64_t dim) {
  return Placement({Placement::Word::Kind::kShard, std::move(axis), dim, {}, 0});
}

Placement ShardBlocks(std::string axis, int64_t dim, std::vector<int64_t> sizes) {
  return Placement({Placement::Word::Kind::kShard, std::move(axis), dim, std::move(sizes), 0});
}

Placement Partial(std::string axis) {
  return Placement({Placement::Word::Kind::kPartial, std::move(axis), 0, {}, 0});
}

Placement On(std::string axis, int64_t coordinate) {
  return Placement({Placement::Word::Kind::kOn, std::move(axis), 0, {}, coordinate});
}

std::string to_string(const Placement& placement) {
  const auto& words = placement.words();
  if (words.empty()) return "Replicate()";
  if (words.size() == 1) return to_string(words.front());
  std::string text = "{";
  for (const auto& word : words) text += (&word == &words.front() ? "" : ", ") + to_string(word);
  return text + "}";
}

}  // namespace assay
