// Small programs that reach every kind of work item, for the tests that run on many targets.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace accy::test {

struct Program {
  std::string name;
  std::string text;
  bool exact;  ///< the contract fixes every bit up to the kernel stage
  std::string generic_lacks = {};  ///< profile field for whose lack vulkan:generic refuses it
};

/// For gtest: a program prints as its name.
inline void PrintTo(const Program& program, std::ostream* output) { *output << program.name; }

std::vector<Program> programs();

}  // namespace accy::test
