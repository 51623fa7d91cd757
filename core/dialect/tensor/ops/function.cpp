// A program and its end.
#include <algorithm>

#include "dialect/tensor/define.hpp"

namespace accy::tensor {

using choir::AttributeKind;
using choir::Trait;

namespace {

/// Reports unless the attribute is an array of `count` different strings.
void check_names(const choir::Operation& function, std::string_view name, std::size_t count,
                 choir::Diagnostics& diagnostics) {
  const choir::Attribute attribute = function.attribute(name);
  if (!attribute.is(AttributeKind::array)) return;  // reported by its rule
  std::vector<std::string_view> names;
  for (choir::Attribute entry : attribute.array()) {
    if (!entry.is(AttributeKind::string))
      return diagnostics.report(function, "attribute " + std::string(name) +
                                              " holds something that is no string");
    if (std::find(names.begin(), names.end(), entry.text()) != names.end())
      diagnostics.report(function, "attribute " + std::string(name) + " names (" +
                                       std::string(entry.text()) + ") twice");
    names.push_back(entry.text());
  }
  if (names.size() != count)
    diagnostics.report(function, "attribute " + std::string(name) + " holds " +
                                     std::to_string(names.size()) + " names for " +
                                     std::to_string(count) + " values");
}

}  // namespace

struct Return : Operator {
  static constexpr std::string_view name = "tensor.return";
  static constexpr std::string_view summary = "the function's results";
  static constexpr std::uint32_t traits = static_cast<std::uint32_t>(Trait::terminator);
  static constexpr int operand_count = -1;
  static constexpr int result_count = 0;
  static constexpr bool structural = true;

  static void verify(const choir::Operation& operation, choir::Diagnostics& diagnostics) {
    for (std::size_t index = 0; index < operation.operand_count(); ++index)
      if (const auto type = operand_type(operation, index); !type)
        diagnostics.report(operation, type.error().message);
  }
};

struct Function : Operator {
  static constexpr std::string_view name = "tensor.func";
  static constexpr std::string_view summary = "a program: named inputs to named outputs";
  static constexpr std::uint32_t traits = Trait::isolated | Trait::symbol;
  static constexpr int operand_count = 0;
  static constexpr int result_count = 0;
  static constexpr int region_count = 1;
  static constexpr bool structural = true;
  static constexpr std::array attributes{
      AttributeRule{"inputs", AttributeKind::array, true, "one name an argument, all different"},
      AttributeRule{"outputs", AttributeKind::array, true, "one name a result, all different"}};

  static void verify(const choir::Operation& function, choir::Diagnostics& diagnostics) {
    const choir::Block& body = function.body();
    for (std::size_t index = 0; index < body.argument_count(); ++index)
      if (const choir::Type type = body.argument(index)->type(); !TensorType::from(type))
        diagnostics.report(function, "argument " + std::to_string(index) + " is " +
                                         type_to_string(type) + ", expected a tensor");
    check_names(function, "inputs", body.argument_count(), diagnostics);
    const choir::Operation* end = body.terminator();
    if (end == nullptr || !end->is(definition<Return>()))
      return diagnostics.report(function, "function does not end with tensor.return");
    check_names(function, "outputs", end->operand_count(), diagnostics);
  }
};

template const choir::OperationDefinition& definition<Return>();
template const choir::OperationDefinition& definition<Function>();

}  // namespace accy::tensor
