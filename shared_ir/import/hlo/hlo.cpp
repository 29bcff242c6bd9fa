#include "shared_ir/import/hlo/hlo.h"

#include <fstream>

#include "shared_ir/import/hlo/hlo_graph.h"

namespace assay {

HloModule HloModule::parse(std::string text, const std::string& name) {
  auto module = std::make_shared<hlo::Module>();
  module->source = {name, std::move(text)};
  hlo::parse_module(*module);
  return HloModule(std::move(module));
}

HloModule HloModule::read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UserError({file.string()}, "cannot read this file");
  std::string text(std::filesystem::file_size(file), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  return parse(std::move(text), file.string());
}

Graph HloModule::graph(Rank rank, Int ranks, Groups& groups) const {
  return hlo::make_graph(*module_, hlo::devices_of(*module_, rank, ranks), groups);
}

}  // namespace assay
