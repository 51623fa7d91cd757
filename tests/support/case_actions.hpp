// What a case file asks for: passes, stages, code, evaluators and devices.
#pragma once

#include <string>

#include "accy/result.hpp"
#include "support/case_file.hpp"

namespace accy::test {

/// Does what the file's `// test:` line says on its program and gives the text to compare; empty
/// for `verify` and `run`. A program that is at fault, or a wrong result, is an error.
Result<std::string> perform(const CaseFile& file);

/// The target that the file's profile names, if this build lacks it; else empty.
std::string missing_target(const CaseFile& file);

/// Whether the action gives a text.
bool has_output(const CaseFile& file);

/// That the program, if it is valid, prints to a text that reads as the same module.
Status check_round_trip(const CaseFile& file);

/// Executes the program on the `run` lines' inputs: the product of every stage on the host, and the
/// target product on every device that is here. Errors name the line, the place and the values.
Status run_lines(const CaseFile& file);

}  // namespace accy::test
