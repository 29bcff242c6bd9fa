// The results of a call as text, without the values of tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace assay {

// `operands`: the tensors that the call was given. A result that is one of them, or shares memory
// with one, says so. Throws c10::Error for what is neither a tensor, a list of tensors nor a
// number.
std::string result_text(const std::vector<c10::IValue>& results,
                        const std::vector<at::Tensor>& operands);

// The results of the same call on meta tensors. Throws InternalError for malformed text.
std::vector<c10::IValue> read_results(const std::string& text,
                                      const std::vector<at::Tensor>& operands);

}  // namespace assay
