// Terms: what the rules of saturation read and build. Builders give the simplest form: a movement
// that moves nothing is its operand.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "choir/egraph/saturation.hpp"
#include "dialect/tensor/ops.hpp"
#include "dialect/tensor/reduction.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::contract {

using choir::Attribute;
using choir::ClassId;
using choir::NodeId;
using choir::OperationDefinition;
using choir::Rewriter;
using choir::RewriteRule;
using tensor::definition;
using Sizes = std::vector<std::int64_t>;

template <class... Ops>
bool is_one_of(const OperationDefinition& operation) {
  return ((&operation == &definition<Ops>()) || ...);
}

/// Whether every element of the result depends on the elements of the operands at its own place
/// alone, and operands and result have one shape.
bool is_elementwise(const OperationDefinition& operation);

class Terms {
 public:
  explicit Terms(Rewriter& rewriter) : rewriter_(rewriter), graph_(rewriter.graph()) {}

  // ---- reading ----

  tensor::TensorType type(ClassId id) const { return *tensor::TensorType::from(graph_.type(id)); }
  Sizes shape(ClassId id) const { return type(id).static_shape(); }
  ElementType element(ClassId id) const { return type(id).element(); }
  std::size_t rank(ClassId id) const { return type(id).rank(); }
  ClassId operand(NodeId node, std::size_t index = 0) const { return graph_.operand(node, index); }
  const OperationDefinition& operation(NodeId node) const { return *graph_.node(node).definition; }
  Sizes integers(NodeId node, std::string_view attribute) const;
  Sizes integers_of(Attribute array) const;

  /// The nodes of a class that are that operation; none when the rule is to stop. A copy, as rules
  /// add nodes while they look.
  template <class Op>
  std::vector<NodeId> find(ClassId id) const {
    return find(id, definition<Op>());
  }
  std::vector<NodeId> find(ClassId id, const OperationDefinition& operation) const;
  template <class Op>
  std::optional<NodeId> find_first(ClassId id) const {
    for (NodeId node : graph_.nodes_of(id))
      if (graph_.node(node).definition == &definition<Op>()) return node;
    return std::nullopt;
  }

  /// The number or truth value that every element of the class is; null when they differ.
  Attribute splat_of(ClassId id) const;
  /// Whether every element is that number, and no negative zero.
  bool is_splat(ClassId id, double number) const;
  /// The splat as a double, where that holds it exactly.
  std::optional<double> number_of(ClassId id) const;

  /// Whether sums of the element type may take another order and factors another place: always for
  /// integers, which wrap; for floats where the program allows it.
  bool may_reorder(ElementType element) const {
    return is_integer(element) || rewriter_.reorders();
  }
  /// The same for a reduction or matmul, by its own attributes too. Floats narrower than what they
  /// accumulate in are refused: they would round where they did not before.
  bool may_reorder(NodeId node) const;

  // ---- building ----

  ClassId add(const OperationDefinition& operation, std::span<const ClassId> operands,
              Attribute attributes, choir::Type type) {
    return rewriter_.add(operation, operands, attributes, type);
  }
  /// The same elementwise operation on operands of another shape.
  ClassId elementwise(NodeId like, std::span<const ClassId> operands);
  template <class Op>
  ClassId unary(ClassId x) {
    return add(definition<Op>(), std::array{x}, no_attributes(), graph_.type(x));
  }
  template <class Op>
  ClassId binary(ClassId x, ClassId y) {
    return add(definition<Op>(), std::array{x, y}, no_attributes(), graph_.type(x));
  }
  ClassId transpose(ClassId x, std::span<const std::int64_t> permutation);
  ClassId reshape(ClassId x, std::span<const std::int64_t> shape);
  ClassId broadcast(ClassId x, std::span<const std::int64_t> axes,
                    std::span<const std::int64_t> shape);
  /// With a start, limit and stride for each axis.
  ClassId slice(ClassId x, const Sizes& starts, const Sizes& limits, const Sizes& strides);
  ClassId concat(std::span<const ClassId> parts, std::size_t axis);
  ClassId splat(choir::Type type, Attribute number);
  /// A splat of a number that the element type holds exactly; nothing when it does not.
  std::optional<ClassId> number(choir::Type type, double value);
  /// With accumulate and order of another one; no reduction where there are no axes.
  ClassId reduce(NodeId like, ClassId x, const Sizes& axes);
  ClassId matmul(NodeId like, ClassId left, ClassId right);
  /// The last two axes swapped.
  ClassId swap_last(ClassId x);

  Attribute no_attributes() { return graph_.context().dictionary({}); }
  choir::Type type_of(ElementType element, std::span<const std::int64_t> shape) {
    return tensor::TensorType::get(graph_.context(), element, shape);
  }

  Rewriter& rewriter() { return rewriter_; }
  choir::EGraph& graph() { return graph_; }

 private:
  Attribute axes_attributes(std::string_view name, std::span<const std::int64_t> values);
  Rewriter& rewriter_;
  choir::EGraph& graph_;
};

/// Whether the type holds the number exactly.
bool holds(ElementType element, double value);

bool is_identity(std::span<const std::int64_t> axes);

}  // namespace accy::contract
