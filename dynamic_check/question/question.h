// What a check of tensors is asked: its inputs and their roles, and the seams through which a test
// makes a run go wrong. Seen by users' tests, so nothing of torch.
#pragma once

#include "dynamic_check/question/dynamic_input.h"
#include "dynamic_check/question/hooks.h"
#include "dynamic_check/question/input_role.h"
