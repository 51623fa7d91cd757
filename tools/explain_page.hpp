// The page of `accy explain --html`: one file that needs nothing else.
#pragma once

#include <string>

#include "tools/explain.hpp"

namespace accy::tools {

/// A tab for each stage's text, and for the graph, the decisions, the kernels with their code, the
/// memory plan and the time of each pass.
std::string explain_page(const ExplainedCompile& compile);

/// Text as the content of an element or a quoted attribute.
std::string escape_html(std::string_view text);

}  // namespace accy::tools
