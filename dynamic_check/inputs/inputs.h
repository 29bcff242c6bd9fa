// Declared inputs and the case's input relation come in; each program's inputs go out.
#pragma once

#include "dynamic_check/inputs/generate.h"
#include "dynamic_check/inputs/program_inputs.h"
#include "dynamic_check/inputs/run_inputs.h"
