#include "shared_ir/memory/in_flight.h"

#include <algorithm>

#include <fmt/format.h>

namespace assay::memory {

bool InFlight::touches(const std::vector<TensorId>& tensors, TensorId tensor) const {
  return std::any_of(tensors.begin(), tensors.end(), [&](TensorId other) {
    return memory_.overlap(tensor, other) != Memory::Overlap::kNone;
  });
}

void InFlight::issue(const Node& node, std::vector<TensorId> filled, std::vector<TensorId> read) {
  flights_.push_back({&node, std::move(filled), std::move(read), {}, {}});
}

void InFlight::use(const lowering::Site& site, const std::vector<TensorId>& read,
                   const std::vector<TensorId>& written) {
  for (Flight& flight : flights_) {
    if (flight.early.node != nullptr) continue;
    const auto too_early = [&](TensorId tensor, const char* verb, const char* meanwhile) {
      flight.early = site;
      flight.what = fmt::format(
          "{} '{}' while node '{}' ({}) may still {} it", verb, site.graph->tensors[tensor].name,
          lowering::node_name(*site.graph, *flight.node), flight.node->op, meanwhile);
    };
    for (const TensorId tensor : read)
      if (flight.early.node == nullptr && touches(flight.filled, tensor))
        too_early(tensor, "reads", "fill");
    for (const TensorId tensor : written) {
      if (flight.early.node != nullptr) break;
      if (touches(flight.filled, tensor))
        too_early(tensor, "writes", "fill");
      else if (touches(flight.read, tensor))
        too_early(tensor, "writes", "read");
    }
  }
}

template <class Ends>
void InFlight::end(const lowering::Site& site, const Ends& ends) {
  for (const Flight& flight : flights_) {
    if (flight.early.node == nullptr || !ends(flight)) continue;
    flight.early.fail(fmt::format("{}: the program waits for that only later, {}", flight.what,
                                  site.node == nullptr
                                      ? "at its end"
                                      : fmt::format("at node '{}'",
                                                    lowering::node_name(*site.graph, *site.node))),
                      "wait for the collective before its memory is used");
  }
  std::erase_if(flights_, ends);
}

void InFlight::wait(const lowering::Site& site, TensorId tensor) {
  end(site, [&](const Flight& flight) { return touches(flight.filled, tensor); });
}

void InFlight::wait_for_work(const lowering::Site& site, int32_t work) {
  end(site, [&](const Flight& flight) { return flight.node->work == work; });
}

void InFlight::finish(const std::vector<TensorId>& outputs) {
  end({}, [](const Flight& flight) { return flight.node->work != kNone; });
  for (const Flight& flight : flights_)
    if (flight.early.node != nullptr || std::ranges::any_of(outputs, [&](TensorId output) {
          return touches(flight.filled, output);
        }))
      builder_.note(fmt::format("{} is done where it is issued: the program never waits for it",
                                flight.node->op));
}

}  // namespace assay::memory
