// The computing operations of the tensor dialect as kernel operations, one entry each.
#include <string_view>
#include <unordered_map>

#include "kernel/generate/region_emitter.hpp"

namespace accy::kernel {

using choir::Operation;
using choir::Value;

namespace {

using Operands = std::vector<Value*>;
using Writer = Value* (*)(KernelBuilder& builder, const Operation& operation, const Operands& in);

Predicate predicate_of(std::string_view name) {
  for (Predicate predicate : {Predicate::eq, Predicate::ne, Predicate::lt, Predicate::le,
                              Predicate::gt, Predicate::ge})
    if (to_string(predicate) == name) return predicate;
  ACCY_ASSERT(false, "unknown predicate");
  return Predicate::eq;
}

Value* write_cast(KernelBuilder& builder, const Operation& operation, const Operands& in) {
  const ElementType element = element_of_tensor(*operation.result());
  // Through the element type, also when it is narrower than what is computed in: a cast rounds.
  return builder.cast(builder.cast(in[0], element), compute_type(element));
}

/// The writer that calls a member of the builder with one operand, or with two.
template <Value* (KernelBuilder::*Member)(Value*)>
Value* write_unary(KernelBuilder& builder, const Operation&, const Operands& in) {
  return (builder.*Member)(in[0]);
}
template <Value* (KernelBuilder::*Member)(Value*, Value*)>
Value* write_binary(KernelBuilder& builder, const Operation&, const Operands& in) {
  return (builder.*Member)(in[0], in[1]);
}

Value* write_compare(KernelBuilder& builder, const Operation& operation, const Operands& in) {
  return builder.compare(predicate_of(operation.attribute("predicate").text()), in[0], in[1]);
}

Value* write_select(KernelBuilder& builder, const Operation&, const Operands& in) {
  return builder.select(in[0], in[1], in[2]);
}

const std::unordered_map<std::string_view, Writer>& writers() {
  using K = KernelBuilder;
  static const std::unordered_map<std::string_view, Writer> table{
      {"tensor.add", &write_binary<&K::add>},
      {"tensor.sub", &write_binary<&K::sub>},
      {"tensor.mul", &write_binary<&K::mul>},
      {"tensor.div", &write_binary<&K::div>},
      {"tensor.rem", &write_binary<&K::rem>},
      {"tensor.max", &write_binary<&K::max>},
      {"tensor.min", &write_binary<&K::min>},
      {"tensor.and", &write_binary<&K::bit_and>},
      {"tensor.or", &write_binary<&K::bit_or>},
      {"tensor.xor", &write_binary<&K::bit_xor>},
      {"tensor.shl", &write_binary<&K::shl>},
      {"tensor.shr", &write_binary<&K::shr>},
      {"tensor.not", &write_unary<&K::bit_not>},
      {"tensor.exp", &write_unary<&K::exp>},
      {"tensor.log", &write_unary<&K::log>},
      {"tensor.tanh", &write_unary<&K::tanh>},
      {"tensor.erf", &write_unary<&K::erf>},
      {"tensor.sin", &write_unary<&K::sin>},
      {"tensor.cos", &write_unary<&K::cos>},
      {"tensor.sqrt", &write_unary<&K::sqrt>},
      {"tensor.floor", &write_unary<&K::floor>},
      {"tensor.ceil", &write_unary<&K::ceil>},
      {"tensor.round", &write_unary<&K::round>},
      {"tensor.trunc", &write_unary<&K::trunc>},
      {"tensor.neg", &write_unary<&K::neg>},
      {"tensor.abs", &write_unary<&K::abs>},
      {"tensor.compare", &write_compare},
      {"tensor.select", &write_select},
      {"tensor.cast", &write_cast},
  };
  return table;
}

}  // namespace

Value* RegionEmitter::emit_computation(const Operation& operation, const Point& point) {
  const auto writer = writers().find(operation.name());
  ACCY_ASSERT(writer != writers().end(),
              "no kernel form for " + std::string(operation.name()));
  Operands operands;
  for (const Value* operand : operation.operands()) operands.push_back(emit(*operand, point));
  builder_.set_location(operation.location());
  Value* result = writer->second(builder_, operation, operands);
  return finish(result, element_of_tensor(*operation.result()));
}

}  // namespace accy::kernel
