// How a tensor lies on the mesh, in DTensor's words.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace assay {

// One word per mesh axis that matters; on every other axis the tensor is replicated (On: on the
// ranks that hold it). The first word
// splits first: under {Shard("dp", 0), Shard("tp", 0)} the ranks of one dp coordinate hold
// neighbouring rows.
class Placement {
 public:
  struct Word {
    enum class Kind : uint8_t { kShard, kPartial, kOn };
    Kind kind = Kind::kShard;
    std::string axis;
    int64_t dim = 0;              // kShard
    std::vector<int64_t> blocks;  // kShard: sizes of what is packed along `dim`; empty: one thing
    int64_t coordinate = 0;       // kOn

    bool operator==(const Word&) const = default;
  };

  Placement() = default;  // replicated on every axis
  explicit Placement(Word word) : words_{std::move(word)} {}
  // Placements on several axes, outermost first. Each axis may be named once (checked when the mesh
  // is known).
  Placement(std::initializer_list<Placement> placements);

  const std::vector<Word>& words() const { return words_; }
  bool operator==(const Placement&) const = default;

 private:
  std::vector<Word> words_;
};

// Every rank holds the whole.
Placement Replicate();

// The rank with coordinate i on `axis` holds the i-th piece of dimension `dim`, cut as torch.chunk
// and DTensor cut it: of n elements over r ranks, every piece has ceil(n / r), but for the last
// ones, which are smaller or empty.
Placement Shard(std::string axis, int64_t dim);

// Several tensors packed along `dim` (query, key and value; gate and up), `sizes` elements each,
// add up to the whole dimension. Each of them is sharded on its own, in equal pieces: a rank holds
// its piece of the first, then of the second, ...
Placement ShardBlocks(std::string axis, int64_t dim, std::vector<int64_t> sizes);

// The whole is the sum of what the ranks along `axis` hold.
Placement Partial(std::string axis);

// The rank with this coordinate on `axis` holds the tensor, and the others have none: a weight, an
// input or an output of one pipeline stage, On("pp", 1). Asking for such an input elsewhere is an
// error.
Placement On(std::string axis, int64_t coordinate);

// As a user would write it: `Shard("tp", 0)`, `{Shard("dp", 0), Partial("tp")}`, `On("pp", 1)`,
// `Replicate()`.
std::string to_string(const Placement& placement);

}  // namespace assay
