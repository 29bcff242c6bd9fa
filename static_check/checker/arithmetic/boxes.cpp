#include "static_check/checker/arithmetic/boxes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "shared_ir/symbolic/integer.h"

namespace assay::checker {
namespace {

constexpr Int kMostIntervals = Int{1} << 14;
// Digits that do not nest, or that would be many intervals, are counted value by value up to this
// many values.
constexpr Int kMostValues = Int{1} << 22;
constexpr Int kFewRepeats = 64;

bool contains(const std::vector<Interval>& in, Int value) {
  return std::any_of(in.begin(), in.end(),
                     [&](const Interval& i) { return i.lo <= value && value < i.hi; });
}

struct Digit {
  Int stride;
  Int end;  // stride * radix
  bool counted = false;
};

// On one coordinate. Where it is counted: a digit of its values; else the values themselves.
struct Condition {
  size_t key;
  std::vector<Interval> in;
  Int stride = 1;
  Int radix = 0;  // 0: the value itself
  auto operator<=>(const Condition&) const = default;

  bool holds(Int value) const {
    const Int digit = radix == 0 ? value : value / stride % radix;
    return contains(in, digit);
  }
};

struct Item {
  Rational coef;
  bool second = false;  // which side of a comparison
  std::vector<Condition> conditions;
};

// The independent coordinates on which the boxes and guards of some products depend.
class Coordinates {
 public:
  Coordinates(const Facts& facts, const Region& region, bool maxima)
      : facts_(facts), region_(region), maxima_(maxima) {}

  void see(const Product& product) {
    for (const Box& box : product.boxes)
      if (box.maximum == maxima_)
        digits_[box.label].push_back({box.stride, box.stride * box.radix});
  }

  // After all products are seen: overlapping digits of a label become one.
  void merge() {
    for (auto& [label, digits] : digits_) {
      std::sort(digits.begin(), digits.end(),
                [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
      std::vector<Digit> merged;
      bool nested = true;
      for (const Digit& digit : digits) {
        if (merged.empty() || digit.stride >= merged.back().end) {
          nested &= merged.empty() || digit.stride % merged.back().end == 0;
          merged.push_back(digit);
          continue;
        }
        Digit& last = merged.back();
        const auto [low, high] = std::minmax(last.end, digit.end);
        nested &= digit.stride % last.stride == 0 && high % low == 0;
        last.end = high;
      }
      if (!nested) merged = {{1, facts_.universe().labels[static_cast<size_t>(label)].size}};
      for (Digit& whole : merged) {
        const bool repeats = std::any_of(digits.begin(), digits.end(), [&](const Digit& digit) {
          return whole.stride <= digit.stride && digit.end <= whole.end &&
                 whole.end / digit.end > kFewRepeats;
        });
        whole.counted = (repeats || !nested) && whole.end / whole.stride <= kMostValues;
      }
      digits = std::move(merged);
    }
  }

  Item item(const Product& product, bool second) {
    Item item{product.coef, second, {}};
    for (const Box& box : product.boxes)
      if (box.maximum == maxima_) add(item, box_condition(box));
    for (const Guard& guard : product.guards) add(item, guard_condition(guard));
    return item;
  }

  const Interval& domain(size_t key) const { return domains_[key]; }
  bool may_be(size_t key, Int value) const {
    const auto known = index_values_.find(key);
    return known == index_values_.end() || contains(known->second, value);
  }
  std::vector<Interval> index_values(size_t key) const {
    const auto known = index_values_.find(key);
    return known == index_values_.end() ? std::vector<Interval>{} : known->second;
  }
  bool counted(size_t key) const { return counted_.contains(key); }

 private:
  void add(Item& item, Condition condition) const {
    for (Condition& present : item.conditions) {
      if (present.key != condition.key || counted(condition.key)) continue;
      present.in = intersect(present.in, condition.in);
      return;
    }
    item.conditions.push_back(std::move(condition));
  }

  Condition box_condition(const Box& box) {
    const std::vector<Digit>& digits = digits_.at(box.label);
    const auto digit = std::find_if(digits.begin(), digits.end(), [&](const Digit& one) {
      return one.stride <= box.stride && box.stride < one.end;
    });
    const auto [at, added] =
        box_keys_.emplace(std::pair{box.label, digit->stride}, domains_.size());
    if (added) domains_.push_back({0, digit->end / digit->stride});
    const Int scale = box.stride / digit->stride, period = scale * box.radix;
    if (digit->counted) {
      counted_.insert(at->second);
      return {at->second, box.in, scale, box.radix};
    }
    const Int repeats = digit->end / digit->stride / period;
    if (repeats * static_cast<Int>(box.in.size()) > kMostIntervals)
      throw Rejection{"boxes on incompatible digits"};
    Condition condition{at->second, {}};
    for (Int k = 0; k < repeats; ++k)
      for (const Interval& in : box.in)
        condition.in.push_back({k * period + in.lo * scale, k * period + in.hi * scale});
    return condition;
  }

  Condition guard_condition(const Guard& guard) {
    const auto [at, added] = guard_keys_.emplace(guard.element, domains_.size());
    if (added) {
      domains_.push_back(facts_.boolean(guard.element.atom) ? Interval{0, 2}
                                                            : Interval{INT64_MIN, INT64_MAX});
      auto left = facts_.integer_values(region_, guard.element.atom, guard.element.index);
      if (!left.empty()) index_values_.emplace(at->second, std::move(left));
    }
    return {at->second, guard.in};
  }

  const Facts& facts_;
  const Region& region_;
  bool maxima_;
  std::map<LabelId, std::vector<Digit>> digits_;
  std::map<std::pair<LabelId, Int>, size_t> box_keys_;
  std::map<Factor, size_t> guard_keys_;
  std::vector<Interval> domains_;
  std::map<size_t, std::vector<Interval>> index_values_;  // of guarded integers, by key
  std::set<size_t> counted_;
};

// Values of a coordinate, one for each way in which conditions on it hold.
std::vector<Int> values_of(const Coordinates& coordinates, const std::vector<Item>& items,
                           size_t key) {
  const Interval domain = coordinates.domain(key);
  std::vector<Int> values;
  if (coordinates.counted(key)) {
    for (Int value = domain.lo; value < domain.hi; ++value) values.push_back(value);
  } else {
    values.push_back(domain.lo);
    for (const Interval& in : coordinates.index_values(key)) values.push_back(in.lo);
    for (const Item& item : items)
      for (const Condition& condition : item.conditions)
        if (condition.key == key)
          for (const Interval& in : condition.in)
            for (const Int edge : {in.lo, in.hi})
              if (domain.lo < edge && edge < domain.hi) values.push_back(edge);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::erase_if(values, [&](Int value) { return !coordinates.may_be(key, value); });
  }
  std::set<std::vector<bool>> seen;
  std::erase_if(values, [&](Int value) {
    std::vector<bool> holding;
    for (const Item& item : items)
      for (const Condition& condition : item.conditions)
        if (condition.key == key) holding.push_back(condition.holds(value));
    return !seen.insert(std::move(holding)).second;
  });
  return values;
}

// The items that hold at this value of the coordinate, without their conditions on it.
std::vector<Item> items_at(const std::vector<Item>& items, size_t key, Int value) {
  std::vector<Item> here;
  for (const Item& item : items) {
    const bool holds = std::all_of(
        item.conditions.begin(), item.conditions.end(),
        [&](const Condition& condition) { return condition.key != key || condition.holds(value); });
    if (!holds) continue;
    here.push_back(item);
    std::erase_if(here.back().conditions,
                  [&](const Condition& condition) { return condition.key == key; });
  }
  return here;
}

// A coordinate on which an item has a condition; nullopt when none has.
std::optional<size_t> coordinate_of(const std::vector<Item>& items) {
  const auto restricted = std::find_if(items.begin(), items.end(),
                                       [](const Item& item) { return !item.conditions.empty(); });
  if (restricted == items.end()) return std::nullopt;
  return restricted->conditions.front().key;
}

// leaf(items that hold) for every cell of the coordinates.
template <class Leaf>
bool in_every_cell(const Coordinates& coordinates, const std::vector<Item>& items,
                   const Leaf& leaf) {
  const auto key = coordinate_of(items);
  if (!key) return leaf(items);
  const std::vector<Int> values = values_of(coordinates, items, *key);
  return std::all_of(values.begin(), values.end(), [&](Int value) {
    return in_every_cell(coordinates, items_at(items, *key, value), leaf);
  });
}

// Items with the same conditions as one.
std::vector<Item> merged(const std::vector<Item>& items) {
  if (items.size() == 1) return items;
  std::map<std::vector<Condition>, Rational> sums;
  for (const Item& item : items) {
    std::vector<Condition> conditions = item.conditions;
    std::sort(conditions.begin(), conditions.end());
    Rational& sum = sums.emplace(std::move(conditions), Rational(0)).first->second;
    sum = sum + item.coef;
  }
  std::vector<Item> result;
  for (const auto& [conditions, sum] : sums)
    if (!sum.is_zero()) result.push_back({sum, false, conditions});
  return result;
}

// Whether the items that hold add up to 0 in every cell: at one value of a coordinate, and with the
// same sum at its others, of which items without a condition on it are no part.
bool add_up_to_zero(const Coordinates& coordinates, const std::vector<Item>& all) {
  if (!coordinate_of(all)) {
    Rational sum = 0;
    for (const Item& item : all) sum = sum + item.coef;
    return sum.is_zero();
  }
  const std::vector<Item> items = merged(all);
  const auto key = coordinate_of(items);
  if (!key) return items.empty();
  const std::vector<Int> values = values_of(coordinates, items, *key);
  std::vector<Item> on_key;
  for (const Item& item : items)
    if (std::any_of(item.conditions.begin(), item.conditions.end(),
                    [&](const Condition& condition) { return condition.key == *key; }))
      on_key.push_back(item);
  std::vector<Item> at_first = items_at(on_key, *key, values.front());
  for (Item& item : at_first) item.coef = -item.coef;
  const auto same_as_first = [&](Int value) {
    std::vector<Item> difference = items_at(on_key, *key, value);
    difference.insert(difference.end(), at_first.begin(), at_first.end());
    return add_up_to_zero(coordinates, difference);
  };
  return std::all_of(values.begin() + 1, values.end(), same_as_first) &&
         add_up_to_zero(coordinates, items_at(items, *key, values.front()));
}

// The boxes under a maximum, by label.
std::vector<Box> maxima(const Product& product) {
  std::vector<Box> boxes;
  for (const Box& box : product.boxes)
    if (box.maximum) boxes.push_back(box);
  std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) {
    return std::tie(a.label, a.stride, a.radix) < std::tie(b.label, b.stride, b.radix);
  });
  return boxes;
}

// The same values of the label by its widest digit: x / 1 % 8 in [0, 4) are x / 4 % 2 in [0, 1).
Box coarsest(Box box) {
  Int common = box.radix;
  for (const Interval& in : box.in) common = common_divisor(common, common_divisor(in.lo, in.hi));
  if (common <= 1) return box;
  box.stride *= common;
  box.radix /= common;
  for (Interval& in : box.in) in = {in.lo / common, in.hi / common};
  return box;
}

}  // namespace

bool same_maxima(const Product& a, const Product& b) {
  std::vector<Box> first = maxima(a), second = maxima(b);
  if (first == second) return true;
  if (first.size() != second.size()) return false;
  std::ranges::transform(first, first.begin(), coarsest);
  std::ranges::transform(second, second.begin(), coarsest);
  return first == second;
}

bool vanishes(const Facts& facts, const Region& region, const std::vector<Product>& alike) {
  Coordinates coordinates(facts, region, false);
  for (const Product& product : alike) coordinates.see(product);
  coordinates.merge();
  std::vector<Item> items;
  for (const Product& product : alike) items.push_back(coordinates.item(product, false));
  return add_up_to_zero(coordinates, items);
}

bool same_union(const Facts& facts, const std::vector<Product>& a, const std::vector<Product>& b) {
  const Region none;  // there are no guards
  Coordinates coordinates(facts, none, true);
  for (const std::vector<Product>* side : {&a, &b})
    for (const Product& product : *side) coordinates.see(product);
  coordinates.merge();
  std::vector<Item> items;
  for (const std::vector<Product>* side : {&a, &b})
    for (const Product& product : *side) items.push_back(coordinates.item(product, side == &b));
  return in_every_cell(coordinates, items, [](const std::vector<Item>& here) {
    const auto seconds =
        std::count_if(here.begin(), here.end(), [](const Item& item) { return item.second; });
    return (seconds > 0) == (seconds < static_cast<std::ptrdiff_t>(here.size()));
  });
}

namespace {

// The two parts as one: alike but for the values of one digit, which they do not share.
std::optional<Product> united(const Product& a, const Product& b) {
  const bool alike = a.coef == b.coef && a.factors == b.factors && a.guards.empty() &&
                     b.guards.empty() && a.boxes.size() == b.boxes.size();
  if (!alike) return std::nullopt;
  std::optional<size_t> apart;
  for (size_t i = 0; i < a.boxes.size(); ++i) {
    if (a.boxes[i] == b.boxes[i]) continue;
    if (apart) return std::nullopt;
    apart = i;
  }
  if (!apart) return std::nullopt;
  const Box &x = a.boxes[*apart], &y = b.boxes[*apart];
  const bool one_digit =
      x.label == y.label && x.stride == y.stride && x.radix == y.radix && !x.maximum && !y.maximum;
  if (!one_digit || !intersect(x.in, y.in).empty()) return std::nullopt;
  Product both = a;
  std::vector<Interval>& in = both.boxes[*apart].in;
  in.insert(in.end(), y.in.begin(), y.in.end());
  std::sort(in.begin(), in.end());
  for (size_t i = in.size(); i-- > 1;)
    if (in[i - 1].hi == in[i].lo) {
      in[i - 1].hi = in[i].hi;
      in.erase(in.begin() + static_cast<std::ptrdiff_t>(i));
    }
  return both;
}

}  // namespace

std::vector<Product> with_parts_united(std::vector<Product> sum) {
  for (Product& product : sum) std::sort(product.factors.begin(), product.factors.end());
  for (size_t i = 0; i < sum.size(); ++i)
    for (size_t j = i + 1; j < sum.size();) {
      const auto both = united(sum[i], sum[j]);
      if (!both) {
        ++j;
        continue;
      }
      sum[i] = *both;
      sum.erase(sum.begin() + static_cast<std::ptrdiff_t>(j));
      j = i + 1;
    }
  return sum;
}

}  // namespace assay::checker
