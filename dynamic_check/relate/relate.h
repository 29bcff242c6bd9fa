// Relations and what the ranks hold come in; targets, and the values that both sides have for them,
// go out.
#pragma once

#include "dynamic_check/relate/clean_eval.h"
#include "dynamic_check/relate/merge.h"
#include "dynamic_check/relate/target_values.h"
#include "dynamic_check/relate/targets.h"
