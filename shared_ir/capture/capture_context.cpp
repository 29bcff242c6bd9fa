#include "shared_ir/capture/capture_context.h"

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;

// Never reached by a captured collective, which the dispatcher answers.
class CaptureBackend : public c10d::Backend {
 public:
  using c10d::Backend::Backend;
  const std::string getBackendName() const override { return "assay-capture"; }
};

GroupPtr make_group(Rank rank, const Mesh& mesh, const Mesh::Axis& axis) {
  const auto position = static_cast<int>(mesh.coordinate(rank, axis.name));
  const auto size = static_cast<int>(axis.size);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(position, size);
  group->setBackend(c10::DeviceType::Meta, c10d::ProcessGroup::BackendType::CUSTOM,
                    c10::make_intrusive<CaptureBackend>(position, size));
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
  group->setGroupName(mesh.group_name(rank, axis.name));
  return group;
}

class CaptureContext : public ProgramContext {
 public:
  CaptureContext(Recording& recording, std::map<std::string, at::Tensor> inputs, Rank rank,
                 const Mesh& mesh)
      : recording_(recording), inputs_(std::move(inputs)), rank_(rank), mesh_(mesh) {
    for (const Mesh::Axis& axis : mesh.axes()) {
      const GroupPtr group = make_group(rank, mesh, axis);
      c10d::register_process_group(group->getGroupName(), group);
      groups_.emplace(axis.name, group);
    }
  }
  ~CaptureContext() override {
    for (const auto& [axis, group] : groups_) c10d::unregister_process_group(group->getGroupName());
  }

  at::Tensor input(const std::string& name) override {
    const auto entry = inputs_.find(name);
    if (entry == inputs_.end()) {
      throw UserError({}, "the program asks for an input '" + name + "' that was not declared",
                      "declare it, or correct the name");
    }
    return entry->second;
  }

  void output(const std::string& name, const at::Tensor& tensor) override {
    recording_.output(name, tensor);
  }

  int64_t size_of(const at::Tensor& tensor, std::optional<int64_t> at_most) override {
    return recording_.size_of(tensor, at_most);
  }

  Rank rank() const override { return rank_; }
  const Mesh& mesh() const override { return mesh_; }

  GroupPtr group(const std::string& axis) override {
    const auto entry = groups_.find(axis);
    if (entry == groups_.end()) {
      throw UserError({}, "the mesh has no axis '" + axis + "'",
                      "use one of the axes that it was made with");
    }
    return entry->second;
  }

 private:
  Recording& recording_;
  std::map<std::string, at::Tensor> inputs_;
  Rank rank_;
  const Mesh& mesh_;
  std::map<std::string, GroupPtr> groups_;
};

}  // namespace

std::unique_ptr<ProgramContext> make_capture_context(Recording& recording,
                                                     std::map<std::string, at::Tensor> inputs,
                                                     Rank rank, const Mesh& mesh) {
  return std::make_unique<CaptureContext>(recording, std::move(inputs), rank, mesh);
}

}  // namespace assay
