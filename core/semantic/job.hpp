// The semantic stage: what the user said, a typed tensor graph with its numeric contract.
#pragma once

#include <filesystem>

#include "choir/job.hpp"

namespace accy::semantic {

struct SemanticStage {
  static const choir::StageSpec& spec();
};
using SemanticModule = choir::Job<SemanticStage>;

/// Verifies and seals a module at the semantic stage. The module's attributes may hold
/// `numeric = {mode, accumulate, order}` and `dimensions = {n = {default, minimum, maximum}}`.
Result<SemanticModule> seal_semantic_module(choir::Module module);

/// Reads program text and seals it; `file` names it in errors.
Result<SemanticModule> parse_semantic_module(std::string_view text, std::string_view file);

/// The same for a `.choir` file of at most program_bytes_maximum.
Result<SemanticModule> read_semantic_module(const std::filesystem::path& path);
inline constexpr std::int64_t program_bytes_maximum = std::int64_t{1} << 26;

/// Whether an operation belongs to the tensor dialect: `tensor.` and not of the host dialect.
bool is_tensor_operation(const choir::Operation& operation);

/// The one function of a semantic, contract or tensor module; null when there is none.
choir::Operation* find_function(const choir::Module& module);

}  // namespace accy::semantic
