#include "shared_ir/trace/trace_writer.h"

#include <string>
#include <unordered_set>
#include <utility>

#include "shared_ir/base/error.h"
#include "shared_ir/trace/trace_index.h"
#include "shared_ir/zip/zip_writer.h"

namespace assay {
namespace {

TraceRun checked(TraceRun run, const std::string& file) {
  trace::check(run, file);
  if (run.producer.empty()) run.producer = "assay " ASSAY_VERSION;
  return run;
}

}  // namespace

class TraceWriter::State {
 public:
  // What is wrong with the run is said before the file is replaced.
  State(const std::filesystem::path& file, TraceRun run)
      : file_(file.string()), index_{checked(std::move(run), file_), {}, {}}, zip_(file) {}

  void add(const TracedTensor& tensor, std::span<const std::byte> data) {
    trace::check(tensor, file_);
    ASSAY_CHECK(data.size() == tensor.data_bytes(), "the data are not of this tensor");
    if (!names_.insert(tensor.name).second) {
      throw UserError({file_}, "there are two tensors '" + tensor.name + "'",
                      "number the operators' outputs");
    }
    std::string entry = std::string(trace::kDataFolder) + std::to_string(index_.data.size());
    zip_.add(entry, data);
    index_.tensors.push_back(tensor);
    index_.data.push_back(std::move(entry));
  }

  void finish() {
    const std::string json = to_json(index_);
    zip_.add(trace::kIndexEntry, std::as_bytes(std::span(json)));
    zip_.finish();
  }

 private:
  std::string file_;
  trace::Index index_;
  std::unordered_set<std::string> names_;
  ZipWriter zip_;
};

TraceWriter::TraceWriter(const std::filesystem::path& file, TraceRun run)
    : state_(std::make_unique<State>(file, std::move(run))) {}

TraceWriter::~TraceWriter() = default;

void TraceWriter::add(const TracedTensor& tensor, std::span<const std::byte> data) {
  state_->add(tensor, data);
}

void TraceWriter::finish() { state_->finish(); }

}  // namespace assay
