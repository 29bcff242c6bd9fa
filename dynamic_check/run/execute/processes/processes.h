// What is to be started comes in; processes of ranks go out, and words with them. No torch.
#pragma once

#include "dynamic_check/run/execute/processes/child_process.h"
#include "dynamic_check/run/execute/processes/launcher_variables.h"
