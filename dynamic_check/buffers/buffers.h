// Memory with strides comes in, no torch; views, copies, sums and maxima of it go out.
#pragma once

#include "dynamic_check/buffers/reduce_buffers.h"
#include "dynamic_check/buffers/strided_buffer.h"
#include "dynamic_check/buffers/vector_clones.h"
