// Memory that lies in files without a name, in pieces.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

namespace assay {

// A mapped file of the folder for temporary files that has no name any more and goes with this.
class FileSegment {
 public:
  // Room for `size` bytes. Throws UserError when there is no such file.
  explicit FileSegment(size_t size);
  ~FileSegment();
  FileSegment(const FileSegment&) = delete;
  FileSegment& operator=(const FileSegment&) = delete;

  // Puts bytes where memory() + `at` shows them. Throws UserError when the disk is full.
  void write(size_t at, const void* data, size_t size) const;

  // Reads of it are of the file, and writes go there: the system takes back its memory as it likes.
  std::byte* memory() const { return memory_; }
  size_t size() const { return size_; }

 private:
  const size_t size_;
  int file_ = -1;
  std::byte* memory_ = nullptr;
};

// Bytes in a segment, which lives as long as one of its pieces does.
struct FilePiece {
  std::shared_ptr<FileSegment> segment;
  std::byte* memory = nullptr;
};

// Puts pieces one after the other into segments. Thread-safe.
class FilePieces {
 public:
  // A copy of the bytes. Throws UserError as FileSegment does.
  FilePiece copy(const void* data, size_t size);

 private:
  struct Room {
    std::shared_ptr<FileSegment> segment;
    size_t at;
  };
  Room reserve(size_t size);

  std::mutex mutex_;
  std::weak_ptr<FileSegment> open_;  // the one with room
  size_t used_ = 0;                  // of it
};

}  // namespace assay
