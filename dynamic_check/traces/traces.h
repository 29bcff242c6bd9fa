// Folders of traces come in; the report that a run would give goes out.
#pragma once

#include "dynamic_check/traces/trace_comparison.h"
