// Reading operands and attributes of an op with errors that hold the values: for inference,
// verification and evaluation.
#pragma once

#include <string>
#include <vector>

#include "choir/diagnostics.hpp"
#include "dialect/tensor/interfaces.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::tensor {

/// Failure with that message; the caller's verifier adds place and op.
Failure invalid(std::string message);

/// The type of an operand; an error when it is missing or no tensor.
Result<TensorType> operand_type(const choir::Operation& operation, std::size_t index);
/// The type of the only result; an error when it is no tensor.
Result<TensorType> result_type(const choir::Operation& operation);
/// The attribute of that name and kind.
Result<choir::Attribute> required_attribute(const choir::Operation& operation,
                                            std::string_view name, choir::AttributeKind kind);
/// An axis attribute: an integer in [0, rank).
Result<std::size_t> axis_attribute(const choir::Operation& operation, std::string_view name,
                                   std::size_t rank);
/// An array of distinct axes in [0, rank), in the order given.
Result<std::vector<std::size_t>> axes_attribute(const choir::Operation& operation,
                                                std::string_view name, std::size_t rank);
/// An array of `count` integers.
Result<std::vector<std::int64_t>> integers_attribute(const choir::Operation& operation,
                                                     std::string_view name, std::size_t count);
/// The size of that axis; an error where it is a symbol.
Result<std::int64_t> static_size(TensorType type, std::size_t axis);
Status check_increasing(std::span<const std::size_t> axes, std::string_view name);
/// A word attribute that is one of the choices; the first choice when it is absent.
Result<std::size_t> choice_attribute(const choir::Operation& operation, std::string_view name,
                                     std::span<const std::string_view> choices);

/// An error when the sizes of a shape (symbols aside) are more elements than a tensor may have.
Status check_elements(std::span<const Dimension> shape);
/// An error unless the two types are equal.
Status check_equal(TensorType a, TensorType b);
/// Errors naming the element type unless it is as demanded.
Status check_numeric(TensorType type);
Status check_float(TensorType type);
/// Integers; the message admits bool where the caller does.
Status check_integer(TensorType type, bool or_bool = false);
/// The accumulate attribute, where present, is able to hold the element type.
Status check_accumulate(const choir::Operation& operation, ElementType element);

/// Reports attributes that are missing, of another kind, or not declared.
void check_attributes(const choir::Operation& operation, std::span<const AttributeRule> rules,
                      choir::Diagnostics& diagnostics);

}  // namespace accy::tensor
