#include "shared_ir/import/pt2_archive.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "shared_ir/error.h"

namespace assay::pt2 {
namespace {

// What minizip reads by: the stream is its `file`.
std::istream& stream_of(void* file) { return *static_cast<std::istream*>(file); }

void* open_stream(void* stream, const void*, int) { return stream; }
int close_stream(void*, void*) { return 0; }
int error_of_stream(void*, void* file) { return stream_of(file).fail() ? 1 : 0; }

uLong read_stream(void*, void* file, void* into, uLong size) {
  std::istream& stream = stream_of(file);
  stream.read(static_cast<char*>(into), static_cast<std::streamsize>(size));
  const auto count = static_cast<uLong>(stream.gcount());
  stream.clear();  // the end of the file is no error
  return count;
}

ZPOS64_T tell_stream(void*, void* file) { return static_cast<ZPOS64_T>(stream_of(file).tellg()); }

long seek_stream(void*, void* file, ZPOS64_T offset, int origin) {
  const auto from = origin == ZLIB_FILEFUNC_SEEK_CUR   ? std::ios::cur
                    : origin == ZLIB_FILEFUNC_SEEK_END ? std::ios::end
                                                       : std::ios::beg;
  std::istream& stream = stream_of(file);
  stream.seekg(static_cast<std::streamoff>(offset), from);
  const bool failed = stream.fail();
  stream.clear();
  return failed ? -1 : 0;
}

struct Close {
  void operator()(void* archive) const { unzClose(archive); }
};
using Archive = std::unique_ptr<void, Close>;

class ProgramReader {
 public:
  ProgramReader(std::istream& stream, const std::string& file) : file_(file) {
    stream.seekg(0, std::ios::end);
    archive_size_ = static_cast<uint64_t>(stream.tellg());
    stream.seekg(0);
    zlib_filefunc64_def functions{};
    functions.zopen64_file = open_stream;
    functions.zread_file = read_stream;
    functions.ztell64_file = tell_stream;
    functions.zseek64_file = seek_stream;
    functions.zclose_file = close_stream;
    functions.zerror_file = error_of_stream;
    functions.opaque = &stream;
    archive_.reset(unzOpen2_64(file.c_str(), &functions));
    if (!archive_) fail("this is no zip archive");
  }

  std::string run() {
    find_program();
    unz_file_info64 about{};
    if (unzGetCurrentFileInfo64(archive_.get(), &about, nullptr, 0, nullptr, 0, nullptr, 0) !=
        UNZ_OK) {
      fail("the archive is damaged");
    }
    if (about.compression_method != 0 || (about.flag & kEncrypted) != 0) {
      fail("the program in the archive is compressed or encrypted");
    }
    if (about.uncompressed_size > archive_size_) fail("the archive is cut off");
    std::string text(about.uncompressed_size, '\0');
    if (unzOpenCurrentFile(archive_.get()) != UNZ_OK) fail("the archive is damaged");
    size_t read = 0;
    while (read < text.size()) {
      constexpr size_t kChunk = 1 << 20;
      const auto wanted = static_cast<unsigned>(std::min(kChunk, text.size() - read));
      const int count = unzReadCurrentFile(archive_.get(), text.data() + read, wanted);
      if (count <= 0) fail("the archive is cut off");
      read += static_cast<size_t>(count);
    }
    // Compares the checksum.
    if (unzCloseCurrentFile(archive_.get()) != UNZ_OK) fail("the archive is damaged");
    return text;
  }

 private:
  static constexpr uLong kEncrypted = 1;

  [[noreturn]] void fail(const std::string& message) const {
    throw UserError({file_}, message, "a .pt2 archive is what torch.export.save writes");
  }

  // ROOT/models/NAME.json, with any root; not in folders below models.
  static bool is_program(std::string_view entry) {
    constexpr std::string_view kFolder = "models";
    if (!entry.ends_with(".json")) return false;
    const std::string_view folder = entry.substr(0, std::min(entry.rfind('/'), entry.size()));
    return folder == kFolder || folder.ends_with("/" + std::string(kFolder));
  }

  // Makes the program the current entry.
  void find_program() {
    unz64_file_pos found{};
    int programs = 0;
    for (int at = unzGoToFirstFile(archive_.get()); at == UNZ_OK;
         at = unzGoToNextFile(archive_.get())) {
      std::array<char, 512> name{};
      if (unzGetCurrentFileInfo64(archive_.get(), nullptr, name.data(), name.size() - 1, nullptr, 0,
                                  nullptr, 0) != UNZ_OK) {
        fail("the archive is damaged");
      }
      if (!is_program(name.data())) continue;
      ++programs;
      unzGetFilePos64(archive_.get(), &found);
    }
    if (programs == 0) fail("the archive holds no program (models/NAME.json)");
    if (programs > 1) fail("the archive holds several programs");
    if (unzGoToFilePos64(archive_.get(), &found) != UNZ_OK) fail("the archive is damaged");
  }

  const std::string& file_;
  uint64_t archive_size_ = 0;
  Archive archive_;
};

}  // namespace

std::string read_program(std::istream& archive, const std::string& file) {
  return ProgramReader(archive, file).run();
}

}  // namespace assay::pt2
