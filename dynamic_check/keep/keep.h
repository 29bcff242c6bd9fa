// Tensors that a run made come in; copies, in memory or in files, and traces of them go out.
#pragma once

#include "dynamic_check/keep/kept_copy.h"
#include "dynamic_check/keep/machine_memory.h"
#include "dynamic_check/keep/reused_memory.h"
#include "dynamic_check/keep/run_trace.h"
#include "dynamic_check/keep/tensor_buffer.h"
#include "dynamic_check/keep/tensor_trace.h"
