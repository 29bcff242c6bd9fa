// Programs, or their graphs, and inputs come in; every tensor that they make goes out. The programs
// run on threads or in processes (execute/), the sequential one too (record.h); graphs run node by
// node (interpret/), in stages where one device is too small (stages/), and with rounding noise
// (perturbed_run.h).
#pragma once

#include "dynamic_check/run/distributed_run.h"
#include "dynamic_check/run/execute/launched_processes.h"
#include "dynamic_check/run/execute/own_processes.h"
#include "dynamic_check/run/execute/process_executor.h"
#include "dynamic_check/run/execute/rank_worker.h"
#include "dynamic_check/run/execute/run_failure.h"
#include "dynamic_check/run/execute/threads/rank_threads.h"
#include "dynamic_check/run/float8_products.h"
#include "dynamic_check/run/interpret/collective_node.h"
#include "dynamic_check/run/interpret/interpreter.h"
#include "dynamic_check/run/options.h"
#include "dynamic_check/run/perturbed_run.h"
#include "dynamic_check/run/programs.h"
#include "dynamic_check/run/rank_context.h"
#include "dynamic_check/run/rank_tensors.h"
#include "dynamic_check/run/reassociation.h"
#include "dynamic_check/run/record.h"
#include "dynamic_check/run/reference_stages.h"
#include "dynamic_check/run/sequential_run.h"
