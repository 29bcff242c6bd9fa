#include "shared_ir/trace/trace_reader.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "shared_ir/base/error.h"
#include "shared_ir/trace/trace_index.h"
#include "shared_ir/zip/zip_reader.h"

namespace assay {

class TraceReader::State {
 public:
  State(std::unique_ptr<std::istream> stream, std::string file)
      : file_(std::move(file)), stream_(std::move(stream)), zip_(open()) {
    const auto listed = zip_.entries();
    if (!listed) fail("the archive is damaged", trace::kRecordAgain);
    for (const ZipEntry& entry : *listed) {
      check(entry);
      if (!entries_.emplace(entry.name, entry).second) {
        fail("the archive has two entries '" + entry.name + "'", trace::kRecordAgain);
      }
    }
    read_index();
    for (size_t i = 0; i < index_.tensors.size(); ++i) find_data(i);
    if (!entries_.empty()) {
      fail("the archive has an entry '" + entries_.begin()->first + "', which no tensor has",
           trace::kRecordAgain);
    }
  }

  const trace::Index& index() const { return index_; }

  void read(size_t tensor, std::span<std::byte> into) {
    const std::string& name = index_.tensors.at(tensor).name;
    if (!zip_.read(data_[tensor], into)) {
      fail("the data of tensor '" + name + "' are damaged: they do not have their checksum",
           kCopyAgain);
    }
  }

 private:
  static constexpr const char* kCopyAgain = "copy the file again, or record the trace again";

  [[noreturn]] void fail(const std::string& message, const std::string& hint) const {
    throw UserError({file_}, message, hint);
  }

  [[noreturn]] void fail_unfinished() const {
    fail("the recording did not end",
         "the program stopped before its recorder was done, or the file was cut off: record the "
         "trace again");
  }

  [[noreturn]] void fail_foreign(const std::string& why) const {
    fail("this is no trace: " + why, "a trace is what Assay's recorders write");
  }

  ZipReader open() {
    auto zip = ZipReader::open(*stream_);
    if (zip) return std::move(*zip);
    // The directory of a ZIP archive is its end. What begins as one, or is yet empty, did not end.
    constexpr std::string_view kFirstEntry = "PK\3\4";
    std::array<char, kFirstEntry.size()> begin{};
    stream_->clear();
    stream_->seekg(0);
    stream_->read(begin.data(), begin.size());
    const std::string_view read(begin.data(), static_cast<size_t>(stream_->gcount()));
    if (!kFirstEntry.starts_with(read)) fail_foreign("it is no ZIP archive");
    fail_unfinished();
  }

  void check(const ZipEntry& entry) const {
    if (!entry.stored) {
      fail("entry '" + entry.name + "' is compressed or encrypted",
           "entries of a trace are stored: record the trace again");
    }
    if (entry.size > zip_.size()) fail("entry '" + entry.name + "' is cut off", kCopyAgain);
  }

  void read_index() {
    const auto found = entries_.find(trace::kIndexEntry);
    if (found == entries_.end()) {
      const auto is_data = [](const auto& one) {
        return one.first.starts_with(trace::kDataFolder);
      };
      if (std::ranges::all_of(entries_, is_data)) fail_unfinished();
      fail_foreign("the archive has no trace.json");
    }
    std::string text(found->second.size, '\0');
    if (!zip_.read(found->second, std::as_writable_bytes(std::span(text)))) {
      fail("trace.json is damaged: it does not have its checksum", kCopyAgain);
    }
    index_ = trace::parse_index(text, file_);
    entries_.erase(found);
  }

  // An entry that a tensor has is taken out of entries_.
  void find_data(size_t i) {
    const TracedTensor& tensor = index_.tensors[i];
    const auto found = entries_.find(index_.data[i]);
    if (found == entries_.end()) {
      fail("the data of tensor '" + tensor.name + "' are missing: no entry '" + index_.data[i] +
               "' is left for them",
           trace::kRecordAgain);
    }
    if (found->second.size != tensor.data_bytes()) {
      fail("the data of tensor '" + tensor.name + "' have " + std::to_string(found->second.size) +
               " bytes; " + std::string(to_string(tensor.dtype)) + " " + to_string(tensor.shape) +
               " has " + std::to_string(tensor.data_bytes()),
           trace::kRecordAgain);
    }
    data_.push_back(std::move(found->second));
    entries_.erase(found);
  }

  std::string file_;
  std::unique_ptr<std::istream> stream_;
  ZipReader zip_;
  std::map<std::string, ZipEntry> entries_;  // of no tensor yet
  trace::Index index_;
  std::vector<ZipEntry> data_;  // of each tensor
};

namespace {

std::unique_ptr<std::istream> opened(const std::filesystem::path& file) {
  auto stream = std::make_unique<std::ifstream>(file, std::ios::binary);
  if (!*stream || !std::filesystem::is_regular_file(file)) {
    throw UserError({file.string()}, "cannot read this file", "does it exist?");
  }
  return stream;
}

}  // namespace

TraceReader::TraceReader(const std::filesystem::path& file)
    : state_(std::make_unique<State>(opened(file), file.string())) {}

TraceReader::TraceReader(std::string_view archive, const std::string& name)
    : state_(std::make_unique<State>(std::make_unique<std::istringstream>(std::string(archive)),
                                     name)) {}

TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;
TraceReader::~TraceReader() = default;

const TraceRun& TraceReader::run() const { return state_->index().run; }

const std::vector<TracedTensor>& TraceReader::tensors() const { return state_->index().tensors; }

void TraceReader::read(size_t tensor, std::span<std::byte> into) { state_->read(tensor, into); }

std::vector<std::byte> TraceReader::read(size_t tensor) {
  std::vector<std::byte> data(tensors().at(tensor).data_bytes());
  read(tensor, data);
  return data;
}

}  // namespace assay
