#include "dynamic_check/run/execute/rank_job.h"

#include "dynamic_check/run/execute/processes/message_socket.h"
#include "shared_ir/base/error.h"

namespace assay {

std::string RankJob::payload() const {
  std::vector<std::string> fields{kind == Kind::kProgram ? "program" : "parameters",
                                  check,
                                  run,
                                  backend,
                                  std::string(to_string(precision)),
                                  std::to_string(timeout.count()),
                                  std::to_string(kernel_threads)};
  fields.insert(fields.end(), differentiable.begin(), differentiable.end());
  return join_fields(fields);
}

RankJob RankJob::from_payload(std::string_view payload) {
  const std::vector<std::string> fields = split_fields(payload);
  ASSAY_CHECK(fields.size() >= 7, "a job has seven fields");
  return {.kind = fields[0] == "program" ? Kind::kProgram : Kind::kParameters,
          .check = fields[1],
          .run = fields[2],
          .backend = fields[3],
          .precision = parse_dtype(fields[4]).value(),
          .timeout = std::chrono::milliseconds(std::stoll(fields[5])),
          .kernel_threads = std::stoi(fields[6]),
          .differentiable = {fields.begin() + 7, fields.end()}};
}

}  // namespace assay
