#include "dynamic_check/witness/size_classes.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

constexpr int kMostSteps = 200'000;

// Depth first over the classes, largest power first; an equation whose sum cannot reach 0 any more
// cuts the search.
class Search {
 public:
  using Equation = std::map<int64_t, int64_t>;

  Search(std::vector<int64_t> order, const std::map<int64_t, int64_t>& limits,
         const std::vector<Equation>& equations)
      : order_(std::move(order)), limits_(limits), equations_(equations) {}

  std::optional<std::map<int64_t, int64_t>> run() {
    if (!assign(0)) return std::nullopt;
    return power_;
  }

 private:
  bool can_hold(const Equation& equation) const {
    int64_t low = 0, high = 0;
    for (const auto& [of, count] : equation) {
      const auto set = power_.find(of);
      const int64_t most = set == power_.end() ? limits_.at(of) : set->second;
      const int64_t fewest = set == power_.end() ? 0 : set->second;
      low += count * (count > 0 ? fewest : most);
      high += count * (count > 0 ? most : fewest);
    }
    return low <= 0 && 0 <= high;
  }

  bool can_hold(int64_t changed) const {
    return std::ranges::all_of(equations_, [&](const Equation& equation) {
      return !equation.contains(changed) || can_hold(equation);
    });
  }

  bool assign(size_t next) {
    if (next == order_.size()) return true;
    const int64_t of = order_[next];
    for (int64_t power = limits_.at(of); power >= 0; --power) {
      if (++steps_ > kMostSteps) return false;
      power_[of] = power;
      if (can_hold(of) && assign(next + 1)) return true;
    }
    power_.erase(of);
    return false;
  }

  const std::vector<int64_t> order_;
  const std::map<int64_t, int64_t>& limits_;
  const std::vector<Equation>& equations_;
  std::map<int64_t, int64_t> power_;
  int steps_ = 0;
};

}  // namespace

void SizeClasses::add(int64_t size) { parent_.try_emplace(size, size); }

void SizeClasses::keep(int64_t size, int64_t least) {
  add(size);
  int64_t& kept = kept_[size];
  kept = std::max(kept, least);
}

void SizeClasses::join(int64_t a, int64_t b) {
  add(a);
  add(b);
  parent_[root(a)] = root(b);
}

void SizeClasses::equate(const Shape& a, const Shape& b) {
  for (const int64_t size : a) add(size);
  for (const int64_t size : b) add(size);
  products_.emplace_back(a, b);
}

int64_t SizeClasses::root(int64_t size) const {
  for (int64_t up = parent_.at(size); up != size; up = parent_.at(size)) size = up;
  return size;
}

// By which power of two the size can be divided at most.
int64_t SizeClasses::limit(int64_t size) const {
  if (size < small_) return 0;
  const auto most = static_cast<int64_t>(std::countr_zero(static_cast<uint64_t>(size)));
  const auto kept = kept_.find(size);
  const int64_t least = std::max({least_, kept == kept_.end() ? 1 : kept->second, int64_t{1}});
  const auto room = static_cast<uint64_t>(size / least);
  return std::clamp<int64_t>(static_cast<int64_t>(std::bit_width(room)) - 1, 0, most);
}

std::vector<SizeClasses::Equation> SizeClasses::equations() const {
  std::vector<Equation> all;
  for (const auto& [a, b] : products_) {
    Equation equation;
    for (const int64_t size : a) ++equation[root(size)];
    for (const int64_t size : b) --equation[root(size)];
    std::erase_if(equation, [](const auto& entry) { return entry.second == 0; });
    if (!equation.empty() && std::ranges::find(all, equation) == all.end())
      all.push_back(std::move(equation));
  }
  return all;
}

void SizeClasses::solve() {
  std::map<int64_t, int64_t> limits;
  for (const auto& [size, up] : parent_) {
    const auto [entry, added] = limits.try_emplace(root(size), limit(size));
    if (!added) entry->second = std::min(entry->second, limit(size));
  }
  const std::vector<Equation> constraints = equations();
  std::vector<int64_t> order;
  const auto add_once = [&](int64_t of) {
    if (std::ranges::find(order, of) == order.end()) order.push_back(of);
  };
  for (const Equation& equation : constraints) {
    for (const auto& [of, count] : equation) add_once(of);
  }
  for (const auto& [of, most] : limits) add_once(of);
  auto found = Search(std::move(order), limits, constraints).run();
  if (!found) throw UserError({}, "the sizes of the graphs do not shrink together");
  power_ = std::move(*found);
}

std::optional<int64_t> SizeClasses::shrunk(int64_t size) const {
  if (!knows(size)) return std::nullopt;
  return size >> power_.at(root(size));
}

std::vector<int64_t> SizeClasses::sizes() const {
  std::vector<int64_t> all;
  for (const auto& [size, up] : parent_) all.push_back(size);
  return all;
}

}  // namespace assay
