// Tensors come in; norms and sketches of them go out, and seeds become random numbers and rounding
// noise.
#pragma once

#include "dynamic_check/numbers/norms.h"
#include "dynamic_check/numbers/overwrite.h"
#include "dynamic_check/numbers/random.h"
#include "dynamic_check/numbers/rounding.h"
#include "dynamic_check/numbers/sketch.h"
