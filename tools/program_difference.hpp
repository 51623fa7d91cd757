// In what two programs differ, operation by operation; what values are called does not count.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "choir/module.hpp"

namespace accy::tools {

/// One difference and the places in both programs that it is at; none: of an input or of the whole.
struct ProgramDifference {
  std::string text;  ///< "line 7: tensor.gelu %h: attribute x is 1 in the first, 2 in the second"
  std::vector<SourceLocation> places;
};

/// Of two semantic modules, in program order, until one has another operation than the other.
std::vector<ProgramDifference> program_differences(const choir::Module& first,
                                                   const choir::Module& second);

/// Puts numbers for the names of a program's values, so that texts about two programs that name
/// them otherwise are equal.
class Renamer {
 public:
  explicit Renamer(const choir::Module& program);
  std::string rename(std::string_view text) const;

 private:
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

}  // namespace accy::tools
