// What a program sees while it is being captured.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "shared_ir/capture/program.h"
#include "shared_ir/capture/record/recording.h"

namespace assay {

// Its process groups have the right names and sizes and are connected to nobody; they are
// registered under their names while the context lives, so that code may look them up.
std::unique_ptr<ProgramContext> make_capture_context(Recording& recording,
                                                     std::map<std::string, at::Tensor> inputs,
                                                     Rank rank, const Mesh& mesh);

}  // namespace assay
