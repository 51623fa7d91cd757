// The tensor type: an element type and a shape, `tensor<f32, [n, 64]>`. A dimension is a size or a
// named symbol that is bound to a size before evaluation or code generation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accy/element_type.hpp"
#include "choir/context.hpp"

namespace accy::tensor {

/// One dimension: a size in elements, or a symbol's name (then size is 0). The name lives as long
/// as the context of the type it came from.
struct Dimension {
  std::int64_t size = 0;
  std::string_view symbol;

  bool is_symbol() const { return !symbol.empty(); }
  /// "64" or "n".
  std::string to_string() const;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// A view of a choir type named "tensor" with valid parameters; cheap to copy.
class TensorType {
 public:
  /// The interned type of that element and shape, at most limits::rank dimensions.
  static TensorType get(choir::Context& context, ElementType element,
                        std::span<const Dimension> shape);
  static TensorType get(choir::Context& context, ElementType element,
                        std::span<const std::int64_t> shape);
  /// The view of a type; nothing when it is no tensor or its parameters are malformed.
  static std::optional<TensorType> from(choir::Type type);

  choir::Type type() const { return type_; }
  operator choir::Type() const { return type_; }
  ElementType element() const { return element_; }
  std::size_t rank() const { return dimensions().size(); }
  Dimension dimension(std::size_t axis) const;
  std::vector<Dimension> shape() const;
  /// No dimension is a symbol.
  bool is_static() const;
  /// The sizes; asserts is_static().
  std::vector<std::int64_t> static_shape() const;
  friend bool operator==(TensorType a, TensorType b) { return a.type_ == b.type_; }

 private:
  TensorType(choir::Type type, ElementType element) : type_(type), element_(element) {}
  std::span<const choir::Attribute> dimensions() const;

  choir::Type type_;
  ElementType element_;
};

/// "[n, 64]".
std::string shape_to_string(std::span<const Dimension> shape);
std::string shape_to_string(std::span<const std::int64_t> shape);

/// The text of any type for a message: "tensor<f32, [n, 64]>", or its name when it is no tensor.
std::string type_to_string(choir::Type type);

/// The record of the type name "tensor".
choir::TypeDefinition tensor_type_definition();

}  // namespace accy::tensor
