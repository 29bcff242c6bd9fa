// Embedding: is a block part of a known instance? Sound by arithmetic alone: every operand address
// of the block is checked to be the instance's operand address at an in-range label coordinate.
#include <algorithm>

#include "shared_ir/base/error.h"
#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/layout.h"
#include "static_check/algebra/restriction.h"
#include "static_check/lift/lifting.h"

namespace assay {

namespace {

using Tag = InstanceLabel::Tag;

// multiple c with request = c * label in every operand (zeros included); 0 when there is none.
Int proportion(const Strides& request, const Strides& label) {
  Int c = 0;
  for (size_t x = 0; x < label.size(); ++x) {
    if (label[x] == 0) {
      if (request[x] != 0) return 0;
      continue;
    }
    if (request[x] == 0 || request[x] % label[x] != 0) return 0;
    const Int here = request[x] / label[x];
    if (c != 0 && here != c) return 0;
    c = here;
  }
  return c;
}

using PerLabel = InlineVector<Int, 4>;

struct Match {
  int32_t label;  // of the instance
  Int multiple;
};
using Matches = InlineVector<Match, 4>;

// Whole labels must agree digit by digit, in the declaration's order.
bool whole_labels_agree(const Request& request, const Instance& instance) {
  size_t j = 0;
  for (const RequestLabel& r : request.labels) {
    if (r.tag != Tag::kWhole) continue;
    while (j < instance.labels.size() && instance.labels[j].tag != Tag::kWhole) ++j;
    if (j == instance.labels.size()) return false;
    const InstanceLabel& label = instance.labels[j++];
    if (label.size != r.size || label.strides != r.strides || label.spec_label != r.spec_label)
      return false;
  }
  while (j < instance.labels.size() && instance.labels[j].tag != Tag::kWhole) ++j;
  return j == instance.labels.size();
}

// Each parallel or reduced digit of the request to the instance label with the smallest multiple.
std::optional<Matches> match_labels(const Request& request, const Instance& instance) {
  Matches matches;
  for (const RequestLabel& r : request.labels) {
    Match best{kNone, 0};
    if (r.tag == Tag::kWhole || is_broadcast(r)) {
      matches.push_back(best);
      continue;
    }
    for (size_t j = 0; j < instance.labels.size(); ++j) {
      if (instance.labels[j].tag != r.tag) continue;
      const Int c = proportion(r.strides, instance.labels[j].strides);
      if (c == 0 || (r.size - 1) * c >= instance.labels[j].size) continue;
      if (best.label == kNone || c < best.multiple) best = {static_cast<int32_t>(j), c};
    }
    if (best.label == kNone) return std::nullopt;
    matches.push_back(best);
  }
  return matches;
}

// Label coordinates of the block's first element, from the offset differences of all operands.
std::optional<PerLabel> solve_digits(const Request& request, const Instance& instance,
                                     const PerLabel& span) {
  PerLabel delta(instance.operands.size());  // per operand
  for (size_t x = 0; x < delta.size(); ++x) {
    delta[x] = request.operands[x].offset - instance.operands[x].offset;
    if (delta[x] < 0) return std::nullopt;
  }
  PerLabel digit(instance.labels.size(), -1);
  InlineVector<size_t, 4> order;
  for (size_t x = 0; x < delta.size(); ++x) {
    order.clear();
    for (size_t j = 0; j < instance.labels.size(); ++j) {
      if (digit[j] < 0 && instance.labels[j].strides[x] > 0 &&
          instance.labels[j].tag != Tag::kWhole)
        order.push_back(j);
    }
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return instance.labels[a].strides[x] > instance.labels[b].strides[x];
    });
    for (size_t j : order) {
      const InstanceLabel& label = instance.labels[j];
      digit[j] = std::min(std::max<Int>(delta[x], 0) / label.strides[x], label.size - 1 - span[j]);
      if (digit[j] < 0) return std::nullopt;
      for (size_t y = 0; y < delta.size(); ++y) delta[y] -= digit[j] * label.strides[y];
    }
  }
  if (std::any_of(delta.begin(), delta.end(), [](Int d) { return d != 0; })) return std::nullopt;
  for (Int& d : digit) d = std::max<Int>(d, 0);
  return digit;
}

}  // namespace

bool is_broadcast(const RequestLabel& label) {
  return label.tag == Tag::kParallel &&
         std::all_of(label.strides.begin(), label.strides.end(), [](Int s) { return s == 0; });
}

std::optional<std::vector<Restriction>> take_digits(LabelId label, Int label_size, Int first,
                                                    Modes steps, Restriction::Kind kind) {
  std::sort(steps.begin(), steps.end(),
            [](const Mode& a, const Mode& b) { return a.stride < b.stride; });
  std::vector<Restriction> result;
  const auto add = [&](Int stride, Int radix, Int size) {
    const Int lo = (first / stride) % radix;
    if (lo + size > radix) return false;
    Restriction r;
    r.kind = kind;
    r.label = label;
    r.stride = stride;
    r.radix = radix;
    r.intervals = {{lo, lo + size}};
    result.push_back(std::move(r));
    return true;
  };
  Int stride = 1;  // digits below it are settled
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].stride % stride != 0) return std::nullopt;
    if (steps[i].stride > stride && !add(stride, steps[i].stride / stride, 1)) return std::nullopt;
    const Int above = i + 1 < steps.size() ? steps[i + 1].stride : label_size;
    Int radix = above / steps[i].stride;
    if (above % steps[i].stride != 0) return std::nullopt;
    if (!add(steps[i].stride, radix, steps[i].size)) return std::nullopt;
    stride = above;
  }
  if (steps.empty() && !add(1, label_size, 1)) return std::nullopt;
  if (!normalize(result)) return std::nullopt;
  return result;
}

std::optional<Lifted> Lifting::embed(const Request& request, const Instance& instance) const {
  if (!whole_labels_agree(request, instance)) return std::nullopt;
  const auto matches = match_labels(request, instance);
  if (!matches) return std::nullopt;
  PerLabel span(instance.labels.size(), 0);
  for (size_t i = 0; i < request.labels.size(); ++i) {
    const Match& match = (*matches)[i];
    if (match.label != kNone)
      span[static_cast<size_t>(match.label)] += (request.labels[i].size - 1) * match.multiple;
  }
  for (size_t j = 0; j < span.size(); ++j) {
    if (span[j] >= instance.labels[j].size) return std::nullopt;
  }
  const auto digit = solve_digits(request, instance, span);
  if (!digit) return std::nullopt;

  Lifted lifted;
  lifted.atom = instance.output;
  lifted.layout.dims.resize(request.out_dims);
  for (size_t j = 0; j < instance.labels.size(); ++j) {
    const InstanceLabel& label = instance.labels[j];
    lifted.layout.offset += (*digit)[j] * label.out_stride;
    if (label.tag != Tag::kReduced) continue;
    Modes steps;
    for (size_t i = 0; i < request.labels.size(); ++i) {
      if ((*matches)[i].label == static_cast<int32_t>(j))
        steps.push_back({request.labels[i].size, (*matches)[i].multiple});
    }
    const bool maximum = instance.kind != Instance::Kind::kSum;
    auto boxes = take_digits(label.hidden, label.size, (*digit)[j], std::move(steps),
                             maximum ? Restriction::Kind::kMax : Restriction::Kind::kBox);
    if (!boxes) return std::nullopt;
    lifted.boxes.insert(lifted.boxes.end(), boxes->begin(), boxes->end());
  }
  normalize(lifted.boxes);
  size_t whole = 0;
  for (size_t i = 0; i < request.labels.size(); ++i) {
    const RequestLabel& r = request.labels[i];
    Int stride = 0;
    if (r.tag == Tag::kWhole) {
      while (instance.labels[whole].tag != Tag::kWhole) ++whole;
      stride = instance.labels[whole++].out_stride;
    } else if ((*matches)[i].label != kNone) {
      stride = (*matches)[i].multiple *
               instance.labels[static_cast<size_t>((*matches)[i].label)].out_stride;
    }
    if (r.out_dim != kNone)
      lifted.layout.dims[static_cast<size_t>(r.out_dim)].push_back({r.size, stride});
  }
  for (auto& modes : lifted.layout.dims) coalesce(modes);
  return lifted;
}

}  // namespace assay
