// The program's graph as a picture.
#pragma once

#include <string>

#include "tools/explain.hpp"

namespace accy::tools {

/// An SVG element: operations in layers by their longest way from an input, coloured by the kernel
/// that computes them, lines from definitions to uses.
std::string explain_graph(const ExplainedCompile& compile);

}  // namespace accy::tools
