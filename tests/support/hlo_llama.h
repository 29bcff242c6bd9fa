// A Llama-like decoder as HLO text, laid out as Transformers-NeuronX lays its modules out: hidden
// dimension first, packed q|k|v, rotary embedding by halves, grouped keys, an all-reduce after
// attention and after the MLP; any number of layers and ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace assay::test {

struct HloLlama {
  int layers = 1;
  int ranks = 2;  // divides key_heads, inner and vocabulary
  int64_t hidden = 8, tokens = 4, batch = 2, key_heads = 8, queries_per_key = 2, head = 4,
          inner = 16, vocabulary = 16;
};

// The files of a case: case.toml, sequential.hlo.txt and distributed.hlo.txt, which all ranks run.
std::map<std::string, std::string> hlo_llama_case(const HloLlama& model);

}  // namespace assay::test
