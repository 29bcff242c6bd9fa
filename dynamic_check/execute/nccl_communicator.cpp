#include "dynamic_check/execute/nccl_communicator.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstring>

#include "shared_ir/error.h"

namespace assay {
namespace {

std::string message(const char* what, ncclResult_t status) {
  return std::string(what) + ": " + ncclGetErrorString(status);
}

}  // namespace

struct NcclCommunicator::Handle {
  ncclComm_t communicator = nullptr;
};

std::string make_nccl_id() {
  ncclUniqueId id;
  const ncclResult_t status = ncclGetUniqueId(&id);
  if (status != ncclSuccess) throw UserError({}, message("ncclGetUniqueId", status));
  return {id.internal, sizeof id.internal};
}

NcclCommunicator::NcclCommunicator(const std::string& id, int rank, int size)
    : handle_(std::make_unique<Handle>()) {
  ncclUniqueId unique;
  ASSAY_CHECK(id.size() == sizeof unique.internal, "an id comes from make_nccl_id");
  std::memcpy(unique.internal, id.data(), id.size());
  const ncclResult_t status = ncclCommInitRank(&handle_->communicator, size, unique, rank);
  if (status != ncclSuccess) {
    throw UserError({}, message("ncclCommInitRank", status),
                    "NCCL needs a GPU of its own for every rank");
  }
}

NcclCommunicator::~NcclCommunicator() {
  if (handle_->communicator) ncclCommDestroy(handle_->communicator);
}

void NcclCommunicator::all_reduce_sum(float* data, int64_t count) {
  const ncclResult_t status = ncclAllReduce(data, data, static_cast<size_t>(count), ncclFloat,
                                            ncclSum, handle_->communicator, nullptr);
  if (status != ncclSuccess) throw InternalError(message("ncclAllReduce", status));
  const cudaError_t done = cudaStreamSynchronize(nullptr);
  if (done != cudaSuccess)
    throw InternalError(std::string("all-reduce: ") + cudaGetErrorString(done));
}

}  // namespace assay
