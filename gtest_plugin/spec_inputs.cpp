#include "gtest_plugin/spec_inputs.h"

#include <algorithm>

#include "gtest_plugin/program_run.h"
#include "gtest_plugin/relations/flat_buffer_relation.h"
#include "gtest_plugin/relations/placement_relation.h"

namespace assay {
namespace {

DType in_precision(DType dtype, DType precision) { return is_floating(dtype) ? precision : dtype; }

PlacedTensor placed(const InputSpec& input) {
  return {input.name, input.shape, input.placement, input.place};
}

const InputSpec& find_member(const RefinementSpec& spec, const FlatBufferSpec& buffer,
                             const std::string& name) {
  for (const InputSpec& input : spec.inputs) {
    if (input.name == name) return input;
  }
  throw UserError(buffer.place, "flat buffer " + buffer.name + " has no input " + name,
                  "declare its members before it");
}

FlatBuffer flat(const RefinementSpec& spec, const FlatBufferSpec& buffer) {
  FlatBuffer result{buffer.name, {}, buffer.placement, buffer.place};
  for (const std::string& member : buffer.members)
    result.members.push_back(placed(find_member(spec, buffer, member)));
  return result;
}

}  // namespace

void check_flat_buffer(const RefinementSpec& spec, const FlatBufferSpec& buffer) {
  const auto fail = [&](const std::string& what, const std::string& hint) {
    throw UserError(buffer.place, "flat buffer " + buffer.name + " " + what, hint);
  };
  for (const InputSpec& input : spec.inputs)
    if (input.name == buffer.name) fail("has the name of an input", "give it its own name");
  if (buffer.members.empty()) fail("has no members", "name the inputs that lie in it");
  const InputSpec& first = find_member(spec, buffer, buffer.members.front());
  for (const std::string& name : buffer.members) {
    const InputSpec& member = find_member(spec, buffer, name);
    if (std::count(buffer.members.begin(), buffer.members.end(), name) != 1 ||
        buffer_of(spec, name) != &buffer)
      fail("is not the only place of " + name, "an input lies in one buffer, once");
    if (member.dtype != first.dtype || member.requires_grad != first.requires_grad)
      fail("has members of different kinds: " + first.name + " and " + name,
           "let members agree in dtype and requires_grad");
    if (member.make) fail("has a self-made member: " + name, "self-made weights lie alone");
  }
}

CaptureSpec sequential_inputs(const RefinementSpec& spec, DType precision) {
  CaptureSpec inputs;
  for (const InputSpec& input : spec.inputs) {
    inputs.push_back(
        {input.name, input.shape, in_precision(input.dtype, precision), input.requires_grad});
  }
  return inputs;
}

CaptureSpec rank_inputs(const RefinementSpec& spec, Rank rank, DType precision) {
  CaptureSpec inputs;
  for (const InputSpec& input : spec.inputs) {
    if (buffer_of(spec, input.name) != nullptr) continue;
    const Shape shape = local_shape(placed(input), spec.mesh, rank);
    if (!holds(input.placement, spec.mesh, rank)) continue;
    inputs.push_back(
        {input.name, shape, in_precision(input.dtype, precision), input.requires_grad});
  }
  for (const FlatBufferSpec& buffer : spec.flat_buffers) {
    const InputSpec& member = find_member(spec, buffer, buffer.members.front());
    inputs.push_back({buffer.name, local_shape(flat(spec, buffer), spec.mesh, rank),
                      in_precision(member.dtype, precision), member.requires_grad});
  }
  return inputs;
}

std::vector<CleanExpr> input_relation(const RefinementSpec& spec, const InputSpec& input) {
  const FlatBufferSpec* buffer = buffer_of(spec, input.name);
  if (buffer == nullptr) return relation(placed(input), spec.mesh);
  const auto at = std::find(buffer->members.begin(), buffer->members.end(), input.name);
  return relation(flat(spec, *buffer), static_cast<size_t>(at - buffer->members.begin()),
                  spec.mesh);
}

}  // namespace assay
