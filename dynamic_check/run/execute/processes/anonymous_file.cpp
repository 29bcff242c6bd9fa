#include "dynamic_check/run/execute/processes/anonymous_file.h"

#include <fcntl.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "shared_ir/base/error.h"

namespace assay {

FileDescriptor make_anonymous_file() {
  const std::string folder = std::filesystem::temp_directory_path();
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.number() >= 0) return file;
  // Not every file system can make one without a name.
  std::string name = folder + "/assay-XXXXXX";
  file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (file.number() < 0) {
    throw UserError({folder}, std::string("cannot make a temporary file: ") + std::strerror(errno),
                    "set TMPDIR to a folder that can be written");
  }
  ::unlink(name.c_str());
  return file;
}

void append(const FileDescriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw UserError({}, std::string("cannot write a temporary file: ") + std::strerror(errno),
                      "set TMPDIR to a folder with more space");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

std::filesystem::path path_of(const FileDescriptor& file) {
  return "/proc/self/fd/" + std::to_string(file.number());
}

}  // namespace assay
