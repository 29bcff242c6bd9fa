// What runs on a GPU of its own: pointers to elements there come in; their sums, and noise on them,
// go out, and which devices there are.
#pragma once

#include "dynamic_check/cuda/block_sums.h"
#include "dynamic_check/cuda/driver.h"
#include "dynamic_check/cuda/gpus.h"
#include "dynamic_check/cuda/noise.h"
#include "dynamic_check/cuda/synchronize.h"
