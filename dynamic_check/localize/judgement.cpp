#include "dynamic_check/localize/judgement.h"

#include "shared_ir/base/error.h"

namespace assay {

std::string_view to_string(JudgedBy by) {
  switch (by) {
    case JudgedBy::kNothing:
      return "nothing";
    case JudgedBy::kView:
      return "view";
    case JudgedBy::kExactReference:
      return "exact reference";
    case JudgedBy::kDeclaration:
      return "declaration";
    case JudgedBy::kOtherKernel:
      return "other kernel";
    case JudgedBy::kItself:
      return "itself";
    case JudgedBy::kMembersInputs:
      return "members' inputs";
  }
  throw InternalError("unknown judge of an operator");
}

}  // namespace assay
