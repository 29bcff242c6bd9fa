// Memory of one program while it is lowered: every tensor is a view of a storage at a version. A
// write through a tensor makes a new version of its storage; whoever reads another tensor of that
// storage afterwards gets the current version through that tensor's own movements. So core programs
// stay pure.
//
// Inputs of a graph are taken to have memory of their own, each. Storages that may be the same
// memory (a result that is a view or a copy) are linked: after a write to one, what was there
// before of the others is not known, and reading it is refused.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_ir/lower/build/builder.h"
#include "shared_ir/memory/layout.h"
#include "shared_ir/memory/moved_views.h"
#include "shared_ir/site.h"
#include "shared_ir/symbolic/integer.h"

namespace assay::memory {

class Memory {
 public:
  Memory(const Graph& graph, lowering::Builder& builder);

  // The tensor has memory of its own.
  void own(TensorId tensor, CoreId value);
  // Several elements of its memory may be one: a write through a part of it changes others.
  void may_overlap(TensorId tensor) { storage_of(tensor).may_overlap = true; }
  // Where the elements of its own memory lie, from the memory's start on; nothing else lies there.
  void lies(TensorId tensor, Strided layout);
  // `tensor` is a view of `base`, and `movements` make it, `value`, from the current value of
  // `base`. Returns its value: what was written through such a view last, where that was the last
  // write.
  CoreId view(TensorId tensor, TensorId base, const Movements& movements, CoreId value);
  // `tensor` is another name of the object `base`, however it lies now and later.
  void same(TensorId tensor, TensorId base);
  // `tensor`, which has its value and memory by now, may be another name of the object `base`.
  void may_be_same(TensorId tensor, TensorId base) { perhaps_same_.emplace_back(tensor, base); }
  // `node` has moved the elements of the object: all its names have another shape from now on. What
  // may be the same object is not known any more.
  void relayout(TensorId tensor, const Movements& movements, CoreId value, const Node& node);
  // Both may be the same memory, because of `node`.
  void link(TensorId a, TensorId b, const Node& node);

  // The value that a reader sees now. Throws UserError at `site` where it is not known.
  CoreId read(TensorId tensor, const lowering::Site& site);
  // Whether it lies in the memory of an input; inputs come before everything else.
  bool is_of_input(TensorId tensor) const {
    return static_cast<size_t>(tensors_[tensor].storage) < graph_.inputs.size();
  }
  bool is_known(TensorId tensor) const { return tensors_[tensor].storage != kNone; }

  // `node` has written `value` into the memory of `tensor`.
  void write(TensorId tensor, CoreId value, const Node& node);
  // `node` may have written anything into the memory of `tensor`, or has made another memory of it.
  void lose(TensorId tensor, const Node& node, const std::string& why,
            const std::string& hint = kFunctional);

  static constexpr const char* kFunctional = "capture a functional graph";

  enum class Overlap : uint8_t { kNone, kSame, kUnknown };
  // How the elements of two tensors lie to each other. kSame: at the same places, one by one.
  Overlap overlap(TensorId a, TensorId b) const;

  // Whether several elements of the tensor may be one in memory.
  bool may_overlap_itself(TensorId tensor) const;

  // Strides of the tensor in its memory, as recorded or as they follow.
  std::optional<Strided> layout(TensorId tensor) const;
  // The movements that make a tensor of the memory of `tensor` that lies so; its sizes are those of
  // `layout`, its offset counts from the memory's start. They start at what base_of() gives.
  std::optional<Movements> movements_to_layout(TensorId tensor, const Strided& layout) const;
  // `tensor` is that part of the memory of `base`. Returns its value.
  CoreId view_of_whole(TensorId tensor, TensorId base, const Movements& movements,
                       const lowering::Site& site);

 private:
  struct View {
    int32_t storage = kNone;
    Movements movements;  // of the storage's value
    CoreId value = kNone;
    Int version = 0;                  // of the storage, when `value` was its content
    bool relaid = false;              // lies otherwise than was recorded
    const Node* relaid_by = nullptr;  // may have given it another shape
  };
  struct Storage {
    CoreId value = kNone;
    Int version = 0;
    Movements written;              // of the view through which this version was written, and
    CoreId written_as = kNone;      // what that view then was; kNone: no write yet
    std::optional<Strided> layout;  // of `value`, where the whole memory is known
    const Node* lost = nullptr;     // from then on only what has the current version is known
    std::string why, hint;
    int32_t group = 0;  // storages of one group may be the same memory
    const Node* linked_by = nullptr;
    bool may_overlap = false;
  };

  void lose_storage(Storage& storage, const Node& node, const std::string& why,
                    const std::string& hint);
  void lose_others(int32_t storage, const Node& node);
  [[noreturn]] void refuse_read(TensorId tensor, const Node& by, const std::string& why,
                                const std::string& hint, const lowering::Site& site) const;
  Storage& storage_of(TensorId tensor) { return storages_[tensors_[tensor].storage]; }
  const Storage& storage_of(TensorId tensor) const { return storages_[tensors_[tensor].storage]; }

  const Graph& graph_;
  lowering::Builder& builder_;
  std::vector<View> tensors_;
  std::vector<TensorId> objects_;  // per tensor, the first name of its object
  std::vector<std::pair<TensorId, TensorId>> perhaps_same_;
  std::vector<Storage> storages_;
  std::map<int32_t, std::vector<int32_t>> groups_;  // group -> its storages
};

}  // namespace assay::memory
