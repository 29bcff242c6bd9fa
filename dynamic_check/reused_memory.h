// Memory for the tensors of a check's runs, used again from one run to the next.
#pragma once

namespace assay {

// While one lives, LibTorch takes the memory of CPU tensors of 64 KiB and more from segments of
// large pages which the process keeps: to be given fresh pages by the system costs more than most
// operators take to fill them. What is given out is filled with NaN (every byte 0xff: -1 of
// integers), so that memory which a kernel forgets to write shows, and no value of an earlier run
// passes for that of this one. Tensors may outlive it; the last one that ends gives free segments
// back. One at a time per process is in effect; thread-safe.
class ReusedMemory {
 public:
  ReusedMemory();
  ~ReusedMemory();
  ReusedMemory(const ReusedMemory&) = delete;
  ReusedMemory& operator=(const ReusedMemory&) = delete;
};

}  // namespace assay
