// How an op's declaration becomes its record. Included by ops/*.cpp only.
//
// A declaration is a struct with: name, summary, traits, operand_count, result_count, optionally
// region_count and attributes; infer or verify or both; and one of
//   template <class Tensor> static Result<Tensor> evaluate(const Call<Tensor>&)   a primitive op
//   static Result<Value*> expand(const Operation&, Builder&)                      a composite op
//   structural = true                                                             not a computation
// A primitive op that moves elements has, beside evaluate,
//   static std::vector<AxisSource> sources(const Operation&, from, to)            see Placement
#pragma once

#include <array>

#include "dialect/tensor/checks.hpp"
#include "dialect/tensor/evaluation.hpp"
#include "dialect/tensor/ops.hpp"
#include "dialect/tensor/placement.hpp"

namespace accy::tensor {

/// What most ops are; a declaration overrides what differs.
struct Operator {
  static constexpr std::uint32_t traits = static_cast<std::uint32_t>(choir::Trait::pure);
  static constexpr int operand_count = 1;
  static constexpr int result_count = 1;
  static constexpr int region_count = 0;
  static constexpr bool structural = false;
  static constexpr bool expensive = false;    ///< see Effort
  static constexpr bool approximate = false;  ///< see Effort
  static constexpr bool row_major = false;    ///< see Placement
  static constexpr bool displaces = false;    ///< offers a Placement without sources
  static constexpr Family family = Family::function;  ///< of a composite op
  static constexpr std::array<AttributeRule, 0> attributes{};
};

template <class Op>
concept Infers = requires(const choir::Operation& operation) { Op::infer(operation); };
template <class Op>
concept Verifies = requires(const choir::Operation& operation, choir::Diagnostics& diagnostics) {
  Op::verify(operation, diagnostics);
};
template <class Op>
concept Checks = requires(const choir::Operation& operation) { Op::check(operation); };
template <class Op>
concept Expands = requires(const choir::Operation& operation, choir::Builder& builder) {
  Op::expand(operation, builder);
};
template <class Op>
concept Moves = requires(const choir::Operation& operation, std::span<const std::int64_t> shape) {
  Op::sources(operation, shape, shape);
};
template <class Op>
concept Evaluates = requires(const Call<HostTensor>& typed, const Call<WideTensor>& wide) {
  Op::template evaluate<HostTensor>(typed);
  Op::template evaluate<WideTensor>(wide);
};

template <class Op>
void verify_operation(const choir::Operation& operation, choir::Diagnostics& diagnostics) {
  check_attributes(operation, Op::attributes, diagnostics);
  if constexpr (Checks<Op>)
    if (const Status checked = Op::check(operation); !checked)
      diagnostics.report(operation, checked.error().message);
  if constexpr (Verifies<Op>) Op::verify(operation, diagnostics);
}

/// Fails to compile, naming the op, when its declaration is incomplete.
template <class Op>
struct Complete {
  static_assert(Infers<Op> || Checks<Op> || Op::structural, "op has no shape check");
  static_assert(Evaluates<Op> || Expands<Op> || Op::structural,
                "op has neither evaluate nor expand");
  static constexpr bool value = true;
};

template <class Op>
constexpr Placement placement_of() {
  Placement placement;
  if constexpr (Moves<Op>) placement.sources = &Op::sources;
  placement.row_major = Op::row_major;
  return placement;
}

template <class Op>
std::span<const choir::InterfaceEntry> interfaces_of() {
  static constexpr Attributes attributes{Op::attributes};
  if constexpr (Expands<Op>) {
    static constexpr Expansion expansion{&Op::expand, Op::family};
    static constexpr choir::InterfaceEntry entries[] = {{&Attributes::key, &attributes},
                                                        {&Expansion::key, &expansion}};
    return entries;
  } else if constexpr (Evaluates<Op>) {
    static constexpr Evaluation evaluation{&Op::template evaluate<HostTensor>,
                                           &Op::template evaluate<WideTensor>};
    static constexpr Effort effort{Op::expensive, Op::approximate};
    static constexpr Placement placement = placement_of<Op>();
    static constexpr choir::InterfaceEntry entries[] = {{&Attributes::key, &attributes},
                                                        {&Effort::key, &effort},
                                                        {&Evaluation::key, &evaluation},
                                                        {&Placement::key, &placement}};
    constexpr bool displaces = Moves<Op> || Op::row_major || Op::displaces;
    return std::span(entries).first(displaces ? 4 : 3);
  } else {
    static constexpr choir::InterfaceEntry entries[] = {{&Attributes::key, &attributes}};
    return entries;
  }
}

template <class Op>
const choir::OperationDefinition& definition() {
  static_assert(Complete<Op>::value);
  static const choir::OperationDefinition record = [] {
    choir::OperationDefinition made;
    made.name = Op::name;
    made.summary = Op::summary;
    made.traits = Op::traits;
    made.operand_count = Op::operand_count;
    made.result_count = Op::result_count;
    made.region_count = Op::region_count;
    if constexpr (Infers<Op>) made.infer = &Op::infer;
    made.verify = &verify_operation<Op>;
    made.interfaces = interfaces_of<Op>();
    return made;
  }();
  return record;
}

}  // namespace accy::tensor
