// What generic code asks of a tensor op beyond its definition: declared attributes and expansion.
// The evaluation interface is in evaluation.hpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "choir/builder.hpp"

namespace accy::tensor {

/// One attribute that an op takes. A rule without a kind admits any.
struct AttributeRule {
  std::string_view name;
  std::optional<choir::AttributeKind> kind;
  bool required = true;
  std::string_view summary;
};

/// Every tensor op offers its attribute rules; other attributes are errors.
struct Attributes {
  static const char key;
  std::span<const AttributeRule> rules;
};

/// What a stage weighs before it computes a primitive op twice, or promises its bits.
struct Effort {
  static const char key;
  bool expensive = false;    ///< costs many additions
  bool approximate = false;  ///< devices differ in its last bits
};

/// Which pass of the tensor stage replaces a composite op.
enum class Family : std::uint8_t {
  function,  ///< activations, reductions and normalizations
  einsum,
  indexing,
  loss,
};

/// A composite op is what its expansion into primitive ops computes, bit for bit.
struct Expansion {
  static const char key;
  /// Creates the primitive ops at the builder's place and returns the value that stands for the
  /// op's result. The op is left as it is, still in place.
  Result<choir::Value*> (*expand)(const choir::Operation& operation, choir::Builder& builder);
  Family family = Family::function;
};

}  // namespace accy::tensor
