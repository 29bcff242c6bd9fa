#include "static_check/smt/solver.h"

#include <algorithm>

#include "shared_ir/base/error.h"
#include "static_check/smt/smt_module.h"
#include "static_check/smt/volume.h"

namespace assay {

namespace {

void check(const PartitionQuery& query, const Boxes& boxes) {
  for (const Restriction& box : boxes) {
    ASSAY_CHECK(box.kind != Restriction::Kind::kGuard, "a guard is no box");
    const auto size = query.sizes.find(box.label);
    ASSAY_CHECK(size != query.sizes.end(), "a box on a label of unknown size");
    ASSAY_CHECK(box.stride > 0 && box.radix > 0 && size->second % box.stride == 0 &&
                    size->second / box.stride % box.radix == 0,
                "a box on a digit that its label does not have");
  }
}

std::string questions(int64_t count) {
  return std::to_string(count) + (count == 1 ? " query" : " queries");
}

void append(std::vector<int64_t>& key, const Boxes& boxes) {
  key.push_back(static_cast<int64_t>(boxes.size()));
  for (const Restriction& box : boxes) {
    key.insert(key.end(),
               {box.label, box.stride, box.radix, static_cast<int64_t>(box.intervals.size())});
    for (const Interval& interval : box.intervals)
      key.insert(key.end(), {interval.lo, interval.hi});
  }
}

// The order of the parts does not matter.
std::vector<int64_t> key_of(const PartitionQuery& query) {
  std::vector<int64_t> key{query.may_overlap};
  for (const auto& [label, size] : query.sizes) key.insert(key.end(), {label, size});
  append(key, query.whole);
  std::vector<std::vector<int64_t>> parts;
  for (const Boxes& part : query.parts) append(parts.emplace_back(), part);
  std::sort(parts.begin(), parts.end());
  for (const auto& part : parts) key.insert(key.end(), part.begin(), part.end());
  return key;
}

// Whether the parts have together the size that a partition needs (a cover: at least). Parts of
// unknown size may fit.
bool sizes_fit(const PartitionQuery& query) {
  try {
    const auto wanted = volume(query.whole);
    Rational sum = 0;
    for (const Boxes& part : query.parts) {
      const auto taken = volume(part);
      if (!taken || !wanted) return true;
      sum = sum + *taken;
    }
    return query.may_overlap ? !(sum - *wanted).is_negative() : sum == *wanted;
  } catch (const RationalOverflow&) {
    return true;
  }
}

}  // namespace

Answer Solver::decide(const PartitionQuery& query) {
  check(query, query.whole);
  for (const Boxes& part : query.parts) check(query, part);
  if (!sizes_fit(query)) return Answer::kNo;
  const auto [known, added] = answers_.emplace(key_of(query), Answer::kUnknown);
  if (added) known->second = ask(query);
  return known->second;
}

Answer Solver::ask(const PartitionQuery& query) {
  if (!module_) module_.emplace(kSmtModule);
  if (!module_->loaded()) {
    ++unasked_;
    return Answer::kUnknown;
  }
  return module_->function<DecidePartition>(kDecidePartition)(query, limit_.count());
}

std::vector<std::string> Solver::notes() const {
  if (asked() == 0) return {};
  return {"z3: " + questions(asked())};
}

std::vector<std::string> Solver::unanswered() const {
  std::vector<std::string> notes;
  const int64_t open = std::count_if(answers_.begin(), answers_.end(), [](const auto& answer) {
    return answer.second == Answer::kUnknown;
  });
  if (open > unasked_) {
    notes.push_back("z3: no answer to " + questions(open - unasked_) + " within " +
                    std::to_string(limit_.count()) + " ms");
  }
  if (unasked_ > 0)
    notes.push_back("z3: not asked " + questions(unasked_) + ": " + module_->why_not());
  return notes;
}

}  // namespace assay
