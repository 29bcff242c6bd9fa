#include "dynamic_check/run/execute/threads/pending_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <utility>

namespace assay {
namespace {

int64_t elements(const CollectiveResult& result) {
  if (result.reduction) return result.parts.front().elements();
  int64_t sum = 0;
  for (const StridedBuffer& part : result.parts) sum += part.elements();
  return sum;
}

void write_dense(const CollectiveResult& result, std::byte* to) {
  if (result.reduction) return reduce_buffers(*result.reduction, result.parts, to);
  for (const StridedBuffer& part : result.parts) {
    const auto bytes = static_cast<size_t>(part.elements()) * byte_size(part.dtype);
    if (bytes == 0) continue;
    std::memcpy(to, part.data, bytes);
    to += bytes;
  }
}

void write(const CollectiveResult& result, const StridedBuffer& to) {
  if (to.is_contiguous()) return write_dense(result, to.owned.get());
  const StridedBuffer dense = make_buffer(to.dtype, to.shape, false);
  write_dense(result, dense.owned.get());
  copy_into(dense, to);
}

}  // namespace

void PendingResults::add(CollectiveResult result, Destination to) {
  ASSAY_CHECK(!result.parts.empty(), "a result has a part");
  const DType dtype = result.parts.front().dtype;
  if (dtype != to.memory.dtype || elements(result) != to.memory.elements()) {
    throw UserError({},
                    fmt::format("a collective gives {} elements of {}, to be written to {} [{}]",
                                elements(result), to_string(dtype), to_string(to.memory.dtype),
                                fmt::join(to.memory.shape, ", ")));
  }
  entries_.push_back({std::move(result), std::move(to)});
}

void PendingResults::add_later(std::function<std::vector<CollectiveResult>()> fetch,
                               std::vector<Destination> to) {
  fetch_ = std::move(fetch);
  fetched_to_ = std::move(to);
}

void PendingResults::deliver() {
  if (fetch_) {
    std::vector<CollectiveResult> results = std::exchange(fetch_, nullptr)();
    for (size_t i = 0; i < fetched_to_.size(); ++i)
      add(std::move(results.at(i)), std::move(fetched_to_[i]));
    fetched_to_.clear();
  }
  for (const Entry& entry : entries_) {
    write(entry.result, entry.to.memory);
    if (entry.to.written) entry.to.written();
  }
  entries_.clear();
}

}  // namespace assay
