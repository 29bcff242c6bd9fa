#include "static_check/checker/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "shared_ir/symbolic/integer.h"

namespace assay::checker {
namespace {

constexpr size_t kMostAtoms = 64;

const char* name_of(Instance::Kind kind) {
  switch (kind) {
    case Instance::Kind::kMul:
      return "mul";
    case Instance::Kind::kSum:
      return "sum";
    case Instance::Kind::kMax:
      return "max";
    case Instance::Kind::kMin:
      return "min";
    case Instance::Kind::kMap:
      return "map";
    case Instance::Kind::kBlock:
      return "block";
    case Instance::Kind::kCombine:
      return "combine";
    case Instance::Kind::kCat:
      return "cat";
    case Instance::Kind::kOpaque:
      return "opaque";
    case Instance::Kind::kDraw:
      return "draw";
  }
  return "?";
}

std::string of_label(const InstanceLabel& label) {
  std::string text = label.tag == InstanceLabel::Tag::kParallel ? "parallel "
                     : label.tag == InstanceLabel::Tag::kReduced
                         ? fmt::format("label {} ", label.hidden)
                         : "whole ";
  text += fmt::format("{}:", label.size);
  for (const Int stride : label.strides) text += fmt::format(" {}", stride);
  return text + fmt::format(" -> {}", label.out_stride);
}

std::string of_instance(const Instance& made) {
  std::string text = name_of(made.kind);
  if (!made.fn.empty()) text += " " + made.fn;
  for (const Instance::Operand& operand : made.operands)
    text += fmt::format(" a{}[{}]", operand.atom, operand.offset);
  for (const Instance::CombineTerm& term : made.terms) {
    text += fmt::format(" + {} of operand {}", to_string(term.coef), term.operand);
    for (const Restriction& restriction : term.restrictions) {
      if (restriction.kind != Restriction::Kind::kGuard)
        text += fmt::format(" |label {} / {} % {}", restriction.label, restriction.stride,
                            restriction.radix);
      else
        text += " |guard";
      for (const Interval& in : restriction.intervals)
        text += fmt::format(" [{},{})", in.lo, in.hi);
    }
  }
  for (const InstanceLabel& label : made.labels) text += "; " + of_label(label);
  return text;
}

// The numbers behind each 'a' that begins a word.
std::vector<AtomId> atoms_in(const std::string& text) {
  std::vector<AtomId> found;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const bool begins = i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]));
    if (text[i] != 'a' || !begins || !std::isdigit(static_cast<unsigned char>(text[i + 1])))
      continue;
    found.push_back(static_cast<AtomId>(std::stol(text.substr(i + 1, 9))));
  }
  return found;
}

}  // namespace

std::string glossary(const Universe& universe, const std::string& text) {
  std::vector<AtomId> pending = atoms_in(text);
  std::set<AtomId> seen;
  std::string lines;
  for (size_t i = 0; i < pending.size() && seen.size() < kMostAtoms; ++i) {
    if (pending[i] < 0 || static_cast<size_t>(pending[i]) >= universe.atoms.size()) continue;
    if (!seen.insert(pending[i]).second) continue;
    const Atom& atom = universe.atoms[static_cast<size_t>(pending[i])];
    if (atom.kind != Atom::Kind::kInstance) {
      lines +=
          fmt::format("\n  a{}: kind {} of {}", pending[i], static_cast<int>(atom.kind), atom.size);
      continue;
    }
    if (atom.instance < 0 || static_cast<size_t>(atom.instance) >= universe.instances.size())
      continue;
    const Instance& made = universe.instances[static_cast<size_t>(atom.instance)];
    lines += fmt::format("\n  a{}: {}", pending[i], of_instance(made));
    for (const Instance::Operand& operand : made.operands) pending.push_back(operand.atom);
  }
  return lines;
}

}  // namespace assay::checker
