#include "dynamic_check/kept_copy.h"

#include <ATen/ops/from_blob.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "shared_ir/error.h"

namespace assay {
namespace {

constexpr int64_t kAlwaysInMemory = 64 << 10;

std::atomic<int64_t> budget{256 << 20};
std::atomic<int64_t> in_memory{0};

[[noreturn]] void fail(const std::string& folder) {
  throw UserError({folder}, std::string("cannot keep what a run recorded: ") + std::strerror(errno),
                  "free space there, or name another folder with TMPDIR");
}

std::string temporary_folder() {
  std::error_code none;
  const std::string folder = std::filesystem::temp_directory_path(none).string();
  if (none) fail("TMPDIR");
  return folder;
}

// A file without a name; closed when this goes.
class NamelessFile {
 public:
  NamelessFile() : folder_(temporary_folder()) {
    std::string name = folder_ + "/assay-XXXXXX";
    file_ = mkstemp(name.data());
    if (file_ < 0) fail(folder_);
    unlink(name.c_str());
  }
  ~NamelessFile() { close(file_); }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  void write(const void* data, size_t size) const {
    const auto* next = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(file_, next, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(folder_);
      next += written;
      size -= static_cast<size_t>(written);
    }
  }

  // Stays when the file is closed. Writes to the memory do not reach the file.
  void* map(size_t size) const {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file_, 0);
    if (memory == MAP_FAILED) fail(folder_);
    return memory;
  }

 private:
  std::string folder_;
  int file_ = -1;
};

at::Tensor copy_in_file(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.is_non_overlapping_and_dense() ? tensor : tensor.contiguous();
  const size_t size = dense.nbytes();
  const NamelessFile file;
  file.write(dense.const_data_ptr(), size);
  return at::from_blob(
      file.map(size), dense.sizes(), dense.strides(),
      [size](void* memory) { munmap(memory, size); }, dense.options());
}

at::Tensor copy_in_memory(const at::Tensor& tensor, int64_t size) {
  const at::Tensor copy = tensor.clone();
  return at::from_blob(
      copy.mutable_data_ptr(), copy.sizes(), copy.strides(),
      [copy, size](void*) { in_memory -= size; }, copy.options());
}

}  // namespace

void set_copy_memory(int64_t bytes) { budget = bytes; }

int64_t copy_memory() { return budget; }

at::Tensor kept_copy(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().resolve_neg();
  const auto size = static_cast<int64_t>(plain.nbytes());
  if (!plain.is_cpu() || size < kAlwaysInMemory) return plain.clone();
  if (in_memory.fetch_add(size) + size <= budget) return copy_in_memory(plain, size);
  in_memory -= size;
  return copy_in_file(plain);
}

}  // namespace assay
