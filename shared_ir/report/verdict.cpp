#include "shared_ir/report/verdict.h"

namespace assay {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return "proved";
    case Verdict::kRefuted:
      return "refuted";
    case Verdict::kUnproved:
      return "unproved";
    case Verdict::kTimeout:
      return "timeout";
    case Verdict::kUnsupported:
      return "unsupported";
    case Verdict::kError:
      return "error";
  }
  return "error";
}

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return 0;
    case Verdict::kRefuted:
    case Verdict::kUnproved:
    case Verdict::kTimeout:
    case Verdict::kUnsupported:
      return 1;
    case Verdict::kError:
      return 2;
  }
  return 2;
}

}  // namespace assay
