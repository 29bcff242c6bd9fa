#include "shared_ir/trace/trace_folder.h"

#include <string>
#include <system_error>

#include "shared_ir/error.h"

namespace assay {

namespace fs = std::filesystem;

fs::path TraceFolder::sample(int number) const {
  return path / ("sample" + std::to_string(number) + ".trace");
}

fs::path TraceFolder::rank(Rank rank) const {
  return path / ("rank" + std::to_string(rank) + ".trace");
}

std::vector<fs::path> TraceFolder::samples() const {
  std::vector<fs::path> files;
  for (int number = 1; fs::exists(sample(number)); ++number) files.push_back(sample(number));
  return files;
}

std::vector<fs::path> TraceFolder::ranks() const {
  std::vector<fs::path> files;
  for (Rank number = 0; fs::exists(rank(number)); ++number) files.push_back(rank(number));
  return files;
}

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
