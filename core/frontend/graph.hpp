// The graph behind GraphBuilder: a semantic module under construction and the first mistake.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accy/graph_builder.hpp"
#include "choir/builder.hpp"
#include "choir/module.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::frontend {

/// The public functions go through apply(); the rest is what their bodies are made of. Bodies give
/// errors without a place, which apply() adds.
class Graph {
 public:
  explicit Graph(CallSite site);
  /// `builder_` refers to `module_`.
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  using Body = std::function<Result<choir::Value*>(Graph&)>;
  /// The graph of the first operand that has one, or null.
  static Graph* of(std::span<const Operand> operands);
  /// Runs a body that makes the operation `op` at `site`. The result is failed when an operand is,
  /// or when the body fails, whose error is then kept.
  Tensor apply(std::string_view op, std::span<const Operand> operands, CallSite site,
               const Body& body);
  /// apply() on the operands' own graph.
  static Tensor build(std::string_view op, std::span<const Operand> operands, CallSite site,
                      const Body& body);

  // For bodies.
  choir::Context& context() const { return module_.context(); }
  /// Of an operand that is a tensor.
  choir::Value* value(const Operand& operand) const;
  tensor::TensorType type(const Operand& operand) const;
  /// The type of a tensor that keeps the limits.
  Result<tensor::TensorType> make_type(ElementType element,
                                       std::span<const tensor::Dimension> shape) const;
  /// Names the dimensions in this graph and records their ranges.
  Result<std::vector<tensor::Dimension>> import_shape(const Shape& shape);
  /// Creates an operation that infers its result, or one of a given type, and checks it.
  Result<choir::Value*> create(std::string_view name, std::span<choir::Value* const> operands,
                               std::vector<choir::NamedAttribute> attributes = {});
  Result<choir::Value*> create(std::string_view name, std::span<choir::Value* const> operands,
                               tensor::TensorType type,
                               std::vector<choir::NamedAttribute> attributes = {});
  Result<choir::Value*> splat(tensor::TensorType type, const Operand::Number& number);
  Result<choir::Value*> constant(const HostTensor& tensor);
  Result<choir::Value*> broadcast(choir::Value* value, std::span<const tensor::Dimension> shape);
  Result<choir::Value*> reshape(choir::Value* value, std::span<const tensor::Dimension> shape);
  /// An operand as a tensor of that shape; a number also takes the element type.
  Result<choir::Value*> materialize(const Operand& operand, ElementType element,
                                    std::span<const tensor::Dimension> shape);

  // For GraphBuilder.
  Tensor add_input(std::string_view name, ElementType element, const Shape& shape, CallSite site);
  void add_output(std::string_view name, const Tensor& tensor, CallSite site);
  void set_numeric(const NumericSettings& settings, CallSite site);
  const std::optional<Error>& error() const { return error_; }
  Result<Program> finish(CallSite site);

  // For Tensor.
  static ElementType element_of(const Tensor& tensor);
  static Shape shape_of(const Tensor& tensor);

 private:
  /// Keeps the first error; gives it the place and the op.
  void keep(Error error, std::string_view op, CallSite site);
  Status check_usable(const Operand& operand) const;
  Status add_range(const std::string& name, const DimensionRange& range);
  Status add_name(std::vector<std::string>& names, std::string_view name) const;
  Tensor wrap(choir::Value* value);
  void set_attributes();

  choir::Module module_;
  choir::Operation* function_;
  choir::Builder builder_;
  std::vector<choir::Value*> values_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<choir::Value*> outputs_;
  std::map<std::string, DimensionRange> ranges_;
  std::optional<Error> error_;
  bool finished_ = false;
};

/// The numpy rule on shapes aligned at their last axes: equal sizes stay, a size of 1 repeats.
Result<std::vector<tensor::Dimension>> broadcast_shapes(
    std::span<const std::vector<tensor::Dimension>> shapes);

}  // namespace accy::frontend
