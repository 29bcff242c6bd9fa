// What an index may be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::identity {

// The rows of a table, and what lies beside them: an ignore_index.
class IndexRange {
 public:
  // `beside`: sorted; rows among it are left out.
  IndexRange(int64_t rows, std::vector<int64_t> beside) : rows_(rows), beside_(std::move(beside)) {
    std::erase_if(beside_, [&](int64_t value) { return is_row(value); });
  }

  // All from `low` to `high`, which is not less.
  static IndexRange between(int64_t low, int64_t high) {
    std::vector<int64_t> all;
    for (int64_t value = low; value <= high; ++value) all.push_back(value);
    return {low <= 0 && high >= 0 ? high + 1 : 0, std::move(all)};
  }

  int64_t count() const { return rows_ + static_cast<int64_t>(beside_.size()); }
  // The rows come first.
  int64_t at(int64_t i) const { return i < rows_ ? i : beside_[static_cast<size_t>(i - rows_)]; }
  int64_t last() const { return at(count() - 1); }
  bool holds(int64_t value) const {
    return is_row(value) || std::ranges::count(beside_, value) > 0;
  }
  bool lies_in(const IndexRange& other) const {
    return rows_ <= other.rows_ &&
           std::ranges::all_of(beside_, [&](int64_t value) { return other.holds(value); });
  }

  // Leaves what both hold. Whether that is less.
  bool narrow(const IndexRange& other) {
    const int64_t before = count();
    std::vector<int64_t> both;
    for (const int64_t value : beside_)
      if (other.holds(value)) both.push_back(value);
    for (const int64_t value : other.beside_)
      if (holds(value)) both.push_back(value);
    std::ranges::sort(both);
    both.erase(std::unique(both.begin(), both.end()), both.end());
    *this = IndexRange(std::min(rows_, other.rows_), std::move(both));
    return count() < before;
  }

  // One of them, each as likely.
  int64_t drawn(uint64_t number) const {
    return at(static_cast<int64_t>(number % static_cast<uint64_t>(count())));
  }

 private:
  bool is_row(int64_t value) const { return 0 <= value && value < rows_; }

  int64_t rows_;
  std::vector<int64_t> beside_;
};

}  // namespace assay::identity
