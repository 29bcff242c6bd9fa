// Perturbed runs come in; how far a tensor may be off, and which integers may flip, goes out.
#pragma once

#include "dynamic_check/tolerance/flips.h"
#include "dynamic_check/tolerance/spread.h"
#include "dynamic_check/tolerance/statistics.h"
