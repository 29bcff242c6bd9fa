// A case of graphs alone comes in; numbers on which both sides differ go out, or that they agree.
#pragma once

#include "dynamic_check/witness/witness_module.h"
#include "dynamic_check/witness/witness_report.h"
