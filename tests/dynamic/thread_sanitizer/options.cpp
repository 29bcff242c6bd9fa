// How the thread sanitizer runs these tests, by ctest or by hand.

extern "C" const char* __tsan_default_options();  // NOLINT: the sanitizer's name

extern "C" const char* __tsan_default_options() {
  return "suppressions=" ASSAY_SUPPRESSIONS ":halt_on_error=1:second_deadlock_stack=1";
}
