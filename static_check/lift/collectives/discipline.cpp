#include "static_check/lift/collectives/discipline.h"

#include <algorithm>
#include <optional>

#include "shared_ir/collective.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

namespace {

size_t position(const Collective& what, Rank rank) {
  return static_cast<size_t>(std::find(what.ranks.begin(), what.ranks.end(), rank) -
                             what.ranks.begin());
}

std::string rank_text(Rank rank) { return "rank " + std::to_string(rank); }

// The shape that must be the same at all members; of an all-to-all, without its rows.
Shape common_shape(const RankCall& call) {
  const Collective::Kind kind = call.what().kind;
  Shape shape = kind == Collective::Kind::kScatter ? call.op().shape : call.operand().shape;
  if (kind == Collective::Kind::kAllToAll && !shape.empty()) shape.erase(shape.begin());
  return shape;
}

// `to` expects other rows than `from` sends it.
std::optional<std::string> rows_differ(const RankCall& from, const RankCall& to) {
  const Int sent = from.what().send_splits.at(position(from.what(), to.rank));
  const Int expected = to.what().receive_splits.at(position(to.what(), from.rank));
  if (sent == expected) return std::nullopt;
  return rank_text(to.rank) + " expects " + decimal(expected) + " rows of " + rank_text(from.rank) +
         ", which sends " + decimal(sent);
}

std::string types_differ(const std::string& where, const Shape& shape_a, DType dtype_a,
                         const Shape& shape_b, DType dtype_b) {
  if (shape_a != shape_b)
    return "tensors of different shapes meet" + where + ", " + to_string(shape_a) + " and " +
           to_string(shape_b);
  if (dtype_a != dtype_b)
    return "tensors of different dtypes meet" + where + ", " + std::string(to_string(dtype_a)) +
           " and " + std::string(to_string(dtype_b));
  return {};
}

}  // namespace

std::string disagreement(const RankCall& a, const RankCall& b) {
  const Collective &mine = a.what(), &theirs = b.what();
  const std::string where = " in group " + mine.group;
  if (mine.kind != theirs.kind)
    return std::string("different collectives meet") + where + ", " + to_string(mine.kind) +
           " and " + to_string(theirs.kind);
  if (mine.ranks != theirs.ranks) return "the members come in another order" + where;
  if (is_reduction(mine.kind) && mine.reduce != theirs.reduce)
    return std::string("different reductions meet") + where + ", " + to_string(mine.reduce) +
           " and " + to_string(theirs.reduce);
  if (mine.source != theirs.source)
    return "different roots meet" + where + ", " + rank_text(mine.source) + " and " +
           rank_text(theirs.source);
  const std::string types =
      types_differ(where, common_shape(a), a.op().dtype, common_shape(b), b.op().dtype);
  if (!types.empty()) return types;
  if (mine.kind != Collective::Kind::kAllToAll) return {};
  auto rows = rows_differ(a, b);
  if (!rows) rows = rows_differ(b, a);
  return rows ? *rows + where : std::string();
}

std::string message_disagreement(const RankCall& sent, const RankCall& received) {
  const std::string where = " in group " + sent.what().group;
  if (sent.what().tag != received.what().tag)
    return "what is sent under tag " + decimal(sent.what().tag) + " is next, and tag " +
           decimal(received.what().tag) + " is expected" + where;
  return types_differ(where, sent.op().shape, sent.op().dtype, received.op().shape,
                      received.op().dtype);
}

}  // namespace assay
