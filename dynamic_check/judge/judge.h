// References with their tolerances and what the ranks recorded come in; findings go out, and what
// they mean beside the proof (triage.h).
#pragma once

#include "dynamic_check/judge/findings.h"
#include "dynamic_check/judge/operator_fault.h"
#include "dynamic_check/judge/raise_spreads.h"
#include "dynamic_check/judge/rank_noise.h"
#include "dynamic_check/judge/references.h"
#include "dynamic_check/judge/reruns.h"
#include "dynamic_check/judge/tensor_comparison.h"
#include "dynamic_check/judge/triage.h"
