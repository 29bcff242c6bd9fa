// Case folders whose graphs have sizes over symbols, as captures with dynamic shapes write them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace assay::test {

/// One program as fx-JSON. Shapes are texts: "s0, 8".
class SizedGraph {
 public:
  SizedGraph& input(const std::string& name, const std::string& shape);
  /// `arguments` is JSON without its brackets; %NAME stands for a tensor.
  SizedGraph& call(const std::string& name, const std::string& op, const std::string& arguments,
                   const std::string& shape);
  /// A node that is a size, such as captures make of a tensor's shape.
  SizedGraph& size(const std::string& name, const std::string& size);
  SizedGraph& outputs(const std::vector<std::string>& names);
  std::string text() const;

 private:
  void add(const std::string& op, const std::string& name, const std::string& target,
           const std::string& arguments, const std::string& value);
  std::string nodes_;
  int line_ = 0;
};

/// A case of two ranks in a folder of its own, which goes with the object. `inputs` and `symbols`
/// are lines of their tables in case.toml.
class SizedCase {
 public:
  SizedCase(const SizedGraph& sequential, const SizedGraph& rank0, const SizedGraph& rank1,
            const std::string& inputs, const std::string& symbols);

  const std::filesystem::path& path() const { return folder_.path(); }
  /// In case.toml, the first time that it stands there.
  void replace(const std::string& from, const std::string& to) const;

 private:
  ScratchFolder folder_;
};

}  // namespace assay::test
