#include "dynamic_check/keep/reused_memory.h"

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>

namespace assay {
namespace {

constexpr size_t kPage = size_t{2} << 20;  // a large one
constexpr size_t kSegment = size_t{64} << 20, kSmallest = size_t{64} << 10, kSmallPage = 4096;

// Of a segment that is begun, so much at a time gets its pages.
constexpr size_t kAhead = size_t{16} << 20;

constexpr size_t kFilledAtATime = size_t{512} << 10;

size_t rounded_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

using Memory = std::span<std::byte>;

// Work on pieces of memory, by as many threads as kernels have here.
void in_parallel(Memory memory, size_t piece, const std::function<void(Memory)>& work) {
  const auto pieces = static_cast<int64_t>((memory.size() + piece - 1) / piece);
  at::parallel_for(0, pieces, 1, [&](int64_t first, int64_t last) {
    const size_t begin = static_cast<size_t>(first) * piece;
    const size_t end = std::min(static_cast<size_t>(last) * piece, memory.size());
    work(memory.subspan(begin, end - begin));
  });
}

// Best fit over segments; neighbours that are free are joined.
class Segments {
 public:
  std::byte* take(size_t size) {
    Memory fresh;
    std::byte* memory = nullptr;
    {
      const std::lock_guard lock(mutex_);
      memory = take_free(size);
      if (memory && at::get_num_threads() > 1) fresh = begin_pages({memory, size});
    }
    // Where the system has no such advice, the first to write pays.
    if (!fresh.empty()) {
      in_parallel(fresh, kPage,
                  [](Memory piece) { madvise(piece.data(), piece.size(), MADV_POPULATE_WRITE); });
    }
    return memory;
  }

  // False where the memory is not of a segment.
  bool give_back(std::byte* begin) {
    const std::lock_guard lock(mutex_);
    const auto used = used_.find(begin);
    if (used == used_.end()) return false;
    size_t size = used->second;
    used_.erase(used);
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && next->first == begin + size && !segments_.contains(next->first)) {
      const auto [at, more] = *next;
      remove(at, more);
      size += more;
    }
    const auto after = free_.lower_bound(begin);
    if (after != free_.begin() && !segments_.contains(begin)) {
      const auto [at, before] = *std::prev(after);
      if (at + before == begin) {
        remove(at, before);
        begin = at;
        size += before;
      }
    }
    add(begin, size);
    if (!keeps_) offer({begin, size});
    return true;
  }

  void keep(bool keeps) {
    const std::lock_guard lock(mutex_);
    keeps_ = keeps;
    if (keeps_) return;
    for (const auto& [begin, size] : free_) offer({begin, size});
  }

 private:
  std::byte* take_free(size_t size) {
    auto found = by_size_.lower_bound({size, nullptr});
    if (found == by_size_.end()) {
      if (!add_segment(size)) return nullptr;
      found = by_size_.lower_bound({size, nullptr});
    }
    const auto [free_size, begin] = *found;
    remove(begin, free_size);
    if (free_size > size) add(begin + size, free_size - size);
    used_[begin] = size;
    return begin;
  }

  // What should get its pages now, of the segment of memory that is taken.
  Memory begin_pages(Memory taken) {
    auto& [start, segment] = *std::prev(segments_.upper_bound(taken.data()));
    const auto end = static_cast<size_t>(taken.data() + taken.size() - start);
    const size_t begun = segment.begun;
    if (end <= begun) return {};
    segment.begun = std::min(rounded_up(end, kAhead), segment.bytes);
    return {start + begun, segment.begun - begun};
  }

  bool add_segment(size_t size) {
    const size_t bytes = rounded_up(std::max(size, kSegment), kPage);
    void* const raw = mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) return false;
    const auto address = reinterpret_cast<uintptr_t>(raw);
    auto* const begin = static_cast<std::byte*>(raw) + (rounded_up(address, kPage) - address);
    madvise(begin, bytes, MADV_HUGEPAGE);
    segments_[begin] = {bytes, 0};
    add(begin, bytes);
    return true;
  }

  void add(std::byte* begin, size_t size) {
    free_[begin] = size;
    by_size_.insert({size, begin});
  }

  void remove(std::byte* begin, size_t size) {
    free_.erase(begin);
    by_size_.erase({size, begin});
  }

  // To the system, should it run short of memory.
  static void offer(Memory memory) { madvise(memory.data(), memory.size(), MADV_FREE); }

  struct Segment {
    size_t bytes;
    size_t begun;  // have or had their pages
  };
  std::mutex mutex_;
  std::map<std::byte*, Segment> segments_;
  std::map<std::byte*, size_t> free_, used_;
  std::set<std::pair<size_t, std::byte*>> by_size_;
  bool keeps_ = false;
};

Segments& segments() {
  static auto* const all = new Segments;  // tensors may outlive everything
  return *all;
}

std::atomic<int> living{0};
thread_local bool fills = true;

void give_back(void* memory) {
  if (memory && !segments().give_back(static_cast<std::byte*>(memory))) c10::free_cpu(memory);
}

class Allocator final : public c10::Allocator {
 public:
  at::DataPtr allocate(size_t size) override {
    void* const memory = size < kSmallest || living == 0 ? c10::alloc_cpu(size) : reused(size);
    return {memory, memory, &give_back, at::Device(at::kCPU)};
  }
  at::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    default_copy_data(to, from, count);
  }

 private:
  static void* reused(size_t size) {
    std::byte* const memory = segments().take(rounded_up(size, kSmallPage));
    TORCH_CHECK_WITH(OutOfMemoryError, memory, "no memory for ", size, " bytes");
    if (fills)
      in_parallel({memory, size}, kFilledAtATime,
                  [](Memory piece) { std::memset(piece.data(), 0xff, piece.size()); });
    return memory;
  }
};

void install() {
  static Allocator allocator;
  static const bool installed = (c10::SetCPUAllocator(&allocator), true);
  (void)installed;
}

}  // namespace

ReusedMemory::ReusedMemory() {
  install();
  if (living++ == 0) segments().keep(true);
}

ReusedMemory::~ReusedMemory() {
  if (--living == 0) segments().keep(false);
}

UnfilledMemory::UnfilledMemory() : filled_(std::exchange(fills, false)) {}

UnfilledMemory::~UnfilledMemory() { fills = filled_; }

}  // namespace assay
