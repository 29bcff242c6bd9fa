#include "dynamic_check/keep/file_segment.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "shared_ir/base/error.h"

namespace assay {
namespace {

// A file costs a few system calls, and its disk space is free again only when all of its pieces are
// gone.
constexpr size_t kSegmentBytes = 64 << 20;

// Of every piece: as what an allocator gives.
constexpr size_t kTensorAlignment = 64;

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

}  // namespace

FileSegment::FileSegment(size_t size) : size_(size) {
  const std::string folder = temporary_folder();
  std::string name = folder + "/assay-XXXXXX";
  file_ = mkstemp(name.data());
  if (file_ < 0) fail(folder);
  unlink(name.c_str());
  void* memory = MAP_FAILED;
  if (ftruncate(file_, static_cast<off_t>(size)) == 0)
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) {
    close(file_);
    fail(folder);
  }
  memory_ = static_cast<std::byte*>(memory);
}

FileSegment::~FileSegment() {
  munmap(memory_, size_);
  close(file_);
}

// Not through the memory: a disk that is full would end the process there.
void FileSegment::write(size_t at, const void* data, size_t size) const {
  const auto* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = pwrite(file_, next, size, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(temporary_folder());
    next += written;
    at += static_cast<size_t>(written);
    size -= static_cast<size_t>(written);
  }
}

FilePiece FilePieces::copy(const void* data, size_t size) {
  Room room = reserve(size);
  room.segment->write(room.at, data, size);
  std::byte* memory = room.segment->memory() + room.at;
  return {std::move(room.segment), memory};
}

FilePieces::Room FilePieces::reserve(size_t size) {
  const size_t rounded = (size + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<FileSegment> segment = open_.lock();
  if (!segment || used_ + rounded > segment->size()) {
    segment = std::make_shared<FileSegment>(std::max(rounded, kSegmentBytes));
    open_ = segment;
    used_ = 0;
  }
  const size_t at = used_;
  used_ += rounded;
  return {std::move(segment), at};
}

}  // namespace assay
