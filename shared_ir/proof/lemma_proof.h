// What a certificate says of two atoms that are equal by lemmas (lemma.h): the chain of steps from
// one to the other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared_ir/proof/formula.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

// Atom `left` is `factor` times atom `right`, element by element. Formulas are over named
// dimensions; their variable "v3" is leaf 3. The steps lead from `left` to `right`, or to
// factor * right where the factor is not 1.
struct LemmaProof {
  struct Dim {
    std::string name;
    Int size = 1;
  };
  // An atom's element offset + the sum of strides[i] * (coordinate of dimension i).
  struct Leaf {
    int32_t atom = 0;
    Int offset = 0;
    std::vector<Int> strides;
  };
  // The leaf's atom by its instance: a sum of products of leaves, or one function (or reduction) of
  // such sums.
  struct Definition {
    int32_t leaf = 0;
    Formula formula;
  };
  struct Step {
    enum class Kind : uint8_t {
      kLemma,       // an instance of one side of the lemma becomes that of the other
      kDefinition,  // a leaf becomes its definition, or the definition its leaf
      kArithmetic,  // a term of numbers and sizes becomes another of the same value
    };
    Kind kind = Kind::kLemma;
    std::string lemma;                         // kLemma
    int32_t definition = 0;                    // kDefinition: position in `definitions`
    bool forward = true;                       // left to right; a leaf becomes its definition
    std::vector<int32_t> path;                 // operands from the root to what changes
    std::map<std::string, Formula> variables;  // kLemma
    std::map<std::string, std::string> dims;   // kLemma
    Formula replacement;                       // kArithmetic
  };

  std::vector<Dim> dims;
  std::vector<Leaf> leaves;
  std::vector<Definition> definitions;
  int32_t left = 0;  // leaves that are the whole atoms, row-major over the dimensions
  int32_t right = 0;
  Rational factor = 1;
  std::vector<Step> steps;
};

// The variable of a leaf, and back; -1 when it is none.
std::string leaf_name(int32_t leaf);
int32_t leaf_number(const std::string& variable);

// What the steps lead to.
Formula right_side(const LemmaProof& proof);

}  // namespace assay
