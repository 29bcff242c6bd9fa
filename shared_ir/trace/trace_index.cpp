#include "shared_ir/trace/trace_index.h"

#include <nlohmann/json.hpp>

#include "shared_ir/base/error.h"

namespace assay::trace {

std::string to_json(const Index& index) {
  using Json = nlohmann::ordered_json;
  Json tensors = Json::array();
  for (size_t i = 0; i < index.tensors.size(); ++i) {
    const TracedTensor& tensor = index.tensors[i];
    Json& json = tensors.emplace_back();
    json["name"] = tensor.name;
    if (!tensor.op.empty()) json["op"] = tensor.op;
    if (!tensor.source.empty()) json["source"] = tensor.source;
    json["dtype"] = to_string(tensor.dtype);
    json["shape"] = tensor.shape;
    json["data"] = index.data[i];
  }
  Json json = {{"assay_trace", kTraceVersion},
               {"program", index.run.program},
               {"rank", index.run.rank},
               {"world_size", index.run.world_size},
               {"precision", to_string(index.run.precision)}};
  if (index.run.seed) json["seed"] = *index.run.seed;
  if (!index.run.producer.empty()) json["producer"] = index.run.producer;
  json["tensors"] = std::move(tensors);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void check(const TraceRun& run, const std::string& file) {
  if (run.rank >= 0 && run.rank < run.world_size) return;
  throw UserError({file},
                  "there is no rank " + std::to_string(run.rank) + " in a run of " +
                      std::to_string(run.world_size) + " ranks",
                  "ranks count from 0");
}

void check(const TracedTensor& tensor, const std::string& file) {
  if (!is_tensor_name(tensor.name)) {
    throw UserError({file}, "'" + tensor.name + "' cannot name a tensor",
                    "use letters, digits and _ . - :");
  }
  if (!element_count_fits(tensor.shape)) {
    throw UserError({file},
                    "tensor '" + tensor.name + "' has impossible shape " + to_string(tensor.shape),
                    "sizes are not negative, and a tensor has at most 2^60 elements");
  }
}

}  // namespace assay::trace
