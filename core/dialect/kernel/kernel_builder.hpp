// KernelBuilder: writes one kernel.func. Misuse (types that do not fit) is a programming error and
// asserts; nothing here fails. Integer arithmetic on constants is folded, so that a generator may
// write general index math and still get a lean program.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "choir/builder.hpp"
#include "dialect/kernel/kernel.hpp"

namespace accy::kernel {

/// What a kernel.func is created with.
struct FunctionOptions {
  std::string name;
  std::array<std::int64_t, 3> workgroup{1, 1, 1};
  std::int64_t subgroup = 0;  ///< 0: the program uses no subgroup operation
  bool exact = false;
};

/// Writes the body of a function it creates. Constants, ids and shared memory are placed once, at
/// the top of the function. Values belong to the function.
class KernelBuilder {
 public:
  using Value = choir::Value*;
  using Values = std::vector<choir::Value*>;
  using LoopBody = std::function<Values(Value index, const Values& carried)>;

  /// Appends an empty kernel.func to the block (a module's body).
  KernelBuilder(choir::Block& parent, const FunctionOptions& options);

  /// Appends `kernel.return`; nothing may be written afterwards.
  choir::Operation* finish();
  choir::Operation& function() const { return *function_; }
  choir::Context& context() const { return builder_.context(); }
  /// Location of everything written from here on.
  void set_location(choir::Location location) { builder_.set_location(location); }

  // Parameters, in launch order; all before the first use of the body.
  Value add_buffer(ElementType element, Access access, std::string_view name = {},
                   Binding binding = Binding::address);
  Value add_scalar(ElementType element, std::string_view name = {});

  // Constants.
  Value constant_i32(std::int64_t value);
  Value constant_i64(std::int64_t value);
  Value constant_f32(double value);
  Value constant_bool(bool value);
  /// Any integer type or bool, in that type's range.
  Value constant_integer(ElementType element, std::int64_t value);
  /// f32 or f64.
  Value constant_float(ElementType element, double value);
  /// The value as a constant of any arithmetic type.
  Value constant_of(ElementType element, double value);

  // Ids, i32.
  Value workgroup_id(int axis);
  Value local_id(int axis);
  Value lane();

  // Memory. Indices are in elements.
  Value shared(ElementType element, std::int64_t count);
  Value load(Value memory, Value index);
  Value load_vector(Value memory, Value index, std::int64_t width);
  void store(Value value, Value memory, Value index);
  void barrier();
  Value extract(Value vector, std::int64_t index);
  Value compose(const Values& elements);

  // Arithmetic; operands of one type.
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value rem(Value a, Value b);
  /// Division and remainder of index math: a >= 0, b > 0.
  Value index_div(Value a, Value b);
  Value index_rem(Value a, Value b);
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value fma(Value a, Value b, Value c);
  /// fma where the function may contract, mul and add where it is exact or integer.
  Value multiply_add(Value a, Value b, Value c);
  Value neg(Value a);
  Value abs(Value a);
  Value bit_and(Value a, Value b);
  Value bit_or(Value a, Value b);
  Value bit_xor(Value a, Value b);
  Value bit_not(Value a);
  Value shl(Value a, Value n);
  Value shr(Value a, Value n);
  Value exp(Value a);
  Value log(Value a);
  Value tanh(Value a);
  Value erf(Value a);
  Value sin(Value a);
  Value cos(Value a);
  Value sqrt(Value a);
  Value floor(Value a);
  Value ceil(Value a);
  Value round(Value a);
  Value trunc(Value a);

  // With a constant on the right, in the type of `a`. Templates, so that 0 is no null pointer.
  template <std::integral Integer>
  Value add(Value a, Integer b) {
    return add(a, constant_like(a, static_cast<std::int64_t>(b)));
  }
  template <std::integral Integer>
  Value sub(Value a, Integer b) {
    return sub(a, constant_like(a, static_cast<std::int64_t>(b)));
  }
  template <std::integral Integer>
  Value mul(Value a, Integer b) {
    return mul(a, constant_like(a, static_cast<std::int64_t>(b)));
  }
  template <std::integral Integer>
  Value index_div(Value a, Integer b) {
    return index_div(a, constant_like(a, static_cast<std::int64_t>(b)));
  }
  template <std::integral Integer>
  Value index_rem(Value a, Integer b) {
    return index_rem(a, constant_like(a, static_cast<std::int64_t>(b)));
  }

  Value compare(Predicate predicate, Value a, Value b);
  Value less(Value a, Value b) { return compare(Predicate::lt, a, b); }
  template <std::integral Integer>
  Value less(Value a, Integer b) {
    return less(a, constant_like(a, static_cast<std::int64_t>(b)));
  }
  Value equal(Value a, Value b) { return compare(Predicate::eq, a, b); }
  template <std::integral Integer>
  Value equal(Value a, Integer b) {
    return equal(a, constant_like(a, static_cast<std::int64_t>(b)));
  }
  Value select(Value condition, Value a, Value b);
  /// Nothing when it has that type already.
  Value cast(Value a, ElementType element);
  Value bitcast(Value a, ElementType element);

  // Subgroup; all lanes active.
  Value shuffle_xor(Value a, std::int64_t mask);
  Value subgroup_reduce(ReduceFunction function, Value a);

  // Control flow. The bodies write with this same builder. A loop of constant bounds with no or one
  // trip and an `if` of a constant condition leave only what is executed.
  /// while lower < upper; `body` gets the index and the carried values and returns the next ones.
  /// `maximum_trips` bounds the trips where the bounds are not constants; 0: unknown.
  Values for_loop(Value lower, Value upper, Value step, const Values& init, const LoopBody& body,
                  std::int64_t maximum_trips = 0);
  /// A loop that carries nothing.
  void for_each(Value lower, Value upper, Value step, const std::function<void(Value)>& body,
                std::int64_t maximum_trips = 0);
  void if_then(Value condition, const std::function<void()>& then_body);
  void if_else(Value condition, const std::function<void()>& then_body,
               const std::function<void()>& else_body);
  /// Both bodies return values of the same types: the results.
  Values if_value(Value condition, const std::function<Values()>& then_body,
                  const std::function<Values()>& else_body);

  /// The scalar type of a value; asserts that it is a scalar.
  static ElementType type_of(Value value);

 private:
  using ConstantKey = std::tuple<ElementType, std::uint64_t>;

  Value constant_like(Value value, std::int64_t constant);
  Value place_constant(ElementType element, choir::Attribute value, std::uint64_t bits);
  Value place_id(std::string_view name, int axis);
  Value hoist(std::string_view name, choir::Type type,
              std::vector<choir::NamedAttribute> attributes);
  /// Value of a constant bool; nothing when it is anything else.
  static std::optional<bool> constant_truth(Value value);
  Value create(std::string_view name, std::initializer_list<Value> operands, choir::Type result,
               std::vector<choir::NamedAttribute> attributes = {});
  Value binary(std::string_view name, Value a, Value b);
  Value unary(std::string_view name, Value a);
  Value divide(std::string_view name, Value a, Value b, bool index);
  choir::NamedAttribute attribute(std::string_view name, choir::Attribute value);
  void write_region(choir::Block& block, const std::function<Values()>& body);

  choir::Builder builder_;
  choir::Operation* function_;
  choir::Operation* last_hoisted_ = nullptr;  // constants and ids stand before everything else
  std::map<ConstantKey, Value> constants_;
  std::map<std::pair<std::string_view, int>, Value> ids_;
  bool finished_ = false;
};

}  // namespace accy::kernel
