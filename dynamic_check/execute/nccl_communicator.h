// One rank's NCCL communicator: what an executor with a GPU per rank is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace assay {

// Names a new communicator; rank 0 makes it and the others get it from there. Needs no GPU.
// Throws UserError when NCCL cannot make one.
std::string make_nccl_id();

class NcclCommunicator {
 public:
  // Collective: every rank of `size` calls it with the same id, on its current CUDA device.
  // Throws UserError when there is no usable GPU, or two ranks share one.
  NcclCommunicator(const std::string& id, int rank, int size);
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  // In-place sum of `count` float32 numbers of device memory over all ranks; returns when it is
  // done. Throws InternalError when NCCL fails.
  void all_reduce_sum(float* data, int64_t count);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace assay
