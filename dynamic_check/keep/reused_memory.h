// Memory for the tensors of a check's runs, used again from one run to the next.
#pragma once

namespace assay {

// While one lives, LibTorch takes the memory of CPU tensors of 64 KiB and more from segments of
// large pages which the process keeps: to be given fresh pages by the system costs more than most
// operators take to fill them. Between checks the system may have what is free, should it run short
// of memory (MADV_FREE); until then it counts as the process's. What is given out is filled with
// NaN (every byte 0xff: -1 of integers), so that memory which a kernel forgets to write shows, and
// no value of an earlier run passes for that of this one. Tensors may outlive it. One at a time per
// process is in effect; thread-safe.
class ReusedMemory {
 public:
  ReusedMemory();
  ~ReusedMemory();
  ReusedMemory(const ReusedMemory&) = delete;
  ReusedMemory& operator=(const ReusedMemory&) = delete;
};

// While one lives, what its thread takes of that memory holds anything: for threads that run none
// of the user's programs. Filling takes time.
class UnfilledMemory {
 public:
  UnfilledMemory();
  ~UnfilledMemory();
  UnfilledMemory(const UnfilledMemory&) = delete;
  UnfilledMemory& operator=(const UnfilledMemory&) = delete;

 private:
  const bool filled_;  // before
};

}  // namespace assay
