#include "static_check/diagnose/suspicion.h"

namespace assay {
namespace {

// Closeness from which on a tensor is that of the explanation.
constexpr int kAlmostTheSame = 4 * 95, kSimilar = 4 * 85, kAlike = 4 * 76;

// A piece that lies elsewhere.
constexpr int kElsewhere = 4 * 82;

constexpr int kRelated = 4 * 60;

}  // namespace

Suspicion suspicion_of(bool computed, bool pending, int closeness) {
  if (!computed) return {pending ? Cause::kPendingNumber : Cause::kNumber, closeness};
  if (pending) return {Cause::kPendingSum, closeness};
  if (closeness >= kAlmostTheSame) return {Cause::kAlmostTheSame, closeness};
  if (closeness >= kSimilar) return {Cause::kSimilar, closeness};
  if (closeness >= kAlike) return {Cause::kAlike, closeness};
  return {Cause::kDistant, closeness};
}

bool is_telling(const Suspicion& suspicion) {
  return suspicion.cause != Cause::kNumber || suspicion.closeness >= kElsewhere;
}

bool is_explained(const Suspicion& suspicion) {
  return suspicion.cause < Cause::kDistant ||
         (suspicion.cause == Cause::kDistant && suspicion.closeness >= kRelated);
}

}  // namespace assay
