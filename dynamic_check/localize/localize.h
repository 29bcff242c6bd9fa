// What the ranks recorded comes in; the operators and collectives that are wrong, and the kind of
// fault, go out.
#pragma once

#include "dynamic_check/localize/find_faults.h"
