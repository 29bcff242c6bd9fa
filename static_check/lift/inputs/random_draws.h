// Random operators. A sample is drawn for an element of a tensor: the n-th time that a program
// draws from a distribution for an element, it draws what the sequential program draws for that
// element the n-th time. That the programs draw alike is an assumption of the report.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shared_ir/symbolic/integer.h"
#include "static_check/algebra/value.h"
#include "static_check/lift/lifting.h"

namespace assay {

// The draws of one program, in its order. No two of them are one sample.
class Draws {
 public:
  // A draw of fn for each element of x. Throws NotLifted where x repeats an element, or where it
  // is not clear how often its elements were drawn for.
  Value draw(Lifting& lifting, const std::string& fn, const Value& x, DType dtype);

 private:
  struct Drawn {
    AtomId atom;
    Layout layout;
    Int number;  // of earlier draws for these elements
  };
  Int number_of(const std::vector<Drawn>& earlier, AtomId atom, const Layout& layout) const;

  std::map<std::string, std::vector<Drawn>> drawn_;  // by fn
};

}  // namespace assay
