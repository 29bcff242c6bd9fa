// A node and its operands come in; what PyTorch's kernel makes of them, or what the declaration
// says of them, goes out.
#pragma once

#include "dynamic_check/kernels/boxed_call.h"
#include "dynamic_check/kernels/declared_operators.h"
