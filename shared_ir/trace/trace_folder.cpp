#include "shared_ir/trace/trace_folder.h"

#include <string>
#include <system_error>

#include "shared_ir/base/error.h"

namespace assay {

namespace fs = std::filesystem;

namespace {

fs::path numbered(const fs::path& folder, const std::string& what, int number) {
  return folder / (what + std::to_string(number) + ".trace");
}

// From `first` on.
std::vector<fs::path> all(const fs::path& folder, const std::string& what, int first) {
  std::vector<fs::path> files;
  for (int number = first; fs::exists(numbered(folder, what, number)); ++number)
    files.push_back(numbered(folder, what, number));
  return files;
}

}  // namespace

fs::path TraceFolder::sample(int number) const { return numbered(path, "sample", number); }
fs::path TraceFolder::further(int number) const { return numbered(path, "further", number); }
fs::path TraceFolder::rank(Rank rank) const { return numbered(path, "rank", rank); }

std::vector<fs::path> TraceFolder::samples() const { return all(path, "sample", 1); }
std::vector<fs::path> TraceFolder::further() const { return all(path, "further", 1); }
std::vector<fs::path> TraceFolder::ranks() const { return all(path, "rank", 0); }

void TraceFolder::prepare() const {
  try {
    fs::create_directories(path);
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
      if (entry.path().extension() == ".trace") fs::remove(entry.path());
  } catch (const fs::filesystem_error& error) {
    throw UserError({path.string()}, "cannot keep traces here: " + error.code().message(),
                    "name a folder that can be written");
  }
}

}  // namespace assay
